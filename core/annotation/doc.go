// Package annotation reads what laboratories draw on slides, whichever program wrote it: GeoJSON of
// QuPath, XML of ASAP, Aperio ImageScope and HALO, and masks as pictures.
//
// Coordinates are pixels of level 0.
package annotation
