// Package geojson writes explanations of slides for QuPath, and reads QuPath's annotations as the
// truth of instances or as a region to explain.
//
// Coordinates are pixels of level 0, as in core.Bag.Boxes and in QuPath. The form of a feature
// follows RFC 7946, and its properties follow QuPath 0.4 and newer: objectType, classification
// with a name and a colour, and measurements by name.
package geojson
