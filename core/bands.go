package core

// Bands says which numbers of a picture file are the channels of an encoder, instead of colours:
// the bands of a satellite, or the channels of a microscope. They are counted from 1, as GDAL
// counts them.
type Bands struct {
	Use []int // the encoder's channels in their order; nil takes all, in the file's order
	// Draw has three bands that are drawn as red, green and blue, or one that is drawn grey; nil
	// takes the first three of Use, or its first one.
	Draw []int
	// NoData marks a number that is missing. Nil is what the file states (GDAL_NODATA). Numbers
	// that are not finite are missing, too.
	NoData *float64
}

// MostBands bounds the bands of a file.
const MostBands = 1 << 10
