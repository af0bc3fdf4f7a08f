// Package slide reads whole-slide pictures: a pyramid of levels, each a grid of blocks that are
// compressed one by one. A slide is read by ranges, so that a file of any size costs what is looked
// at.
//
// It opens TIFF and BigTIFF files: plain pictures, those of Aperio (.svs), Hamamatsu (.ndpi), Leica
// (.scn), Ventana (.bif) and Philips, OME-TIFF, files of bands (see [core.Bands]), and tiled
// pyramids as libvips and QuPath write them. Blocks may be stored as they are, or compressed by
// JPEG, LZW, deflate, Zstandard, LZMA, PackBits, WebP or fax. Everything else is an
// [UnsupportedError].
//
// It also opens Deep Zoom pictures (.dzi), whose tiles are files of a folder, whole slides of
// DICOM, whose levels are files of a folder, and OME-Zarr pictures, whose chunks are files of a
// folder or of a zip archive; see [Options].Beside. So are the tiles of a slide that something else
// has cut, with places in their names, see [Slide.Tiles].
//
// Pixels are those of OpenSlide, up to rounding of the JPEG decoders: the colour space is that of
// the directory, and subsampled chroma is interpolated.
//
// A file may be made to harm. Sizes are checked, and reserved in [Options].Memory, before memory is
// allocated; the number of directories and the length of each list is bounded, and a loop of
// directories is an error.
package slide
