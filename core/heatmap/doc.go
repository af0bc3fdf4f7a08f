// Package heatmap writes the map of an explanation over a whole slide as a pyramid of tiles, for
// viewers of slides: as pyramidal OME-TIFF and as Deep Zoom picture (DZI).
//
// A pixel of the map covers Scale x Scale pixels of the slide's level 0, so that the map lies over
// the slide from its upper left corner. Patches have the opaque colours of draw.Map; everything
// else is transparent, with white below the transparency for viewers that ignore it. Where patches
// overlap, the later one is on top.
//
// Tiles are drawn from the full resolution up, each smaller one as the mean of four, so that memory
// holds a few tiles and the compressed file.
package heatmap
