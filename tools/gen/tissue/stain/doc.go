// Package stain draws tissue as it looks under a microscope after staining with haematoxylin and
// eosin, with the place and kind of every nucleus.
//
//	tissue (ground, fibres, holes) + nuclei ── two stains' densities ── Beer-Lambert ──► picture
//
// No picture of real tissue is in it. A slide is positive when it holds nuclei of glands, which are
// large, pale and outlined; the small dark round ones and the spindles lie in every slide. Equal
// seeds give equal slides, up to a grey level where another processor rounds a sine differently.
package stain
