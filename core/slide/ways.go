package slide

// Ways to convert a file, for UnsupportedError.Way. FILE stands for its path. Where numbers matter
// no compression changes them, and "strip" removes what the file says of channels that are gone.
const (
	convert  = "vips tiffsave FILE slide.tif --tile --pyramid --bigtiff --compression jpeg"
	lossless = "'slide.tif[tile,pyramid,bigtiff,compression=deflate,strip]'"
	asRGB    = ", and then vips copy rgb.v " + lossless + " --interpretation srgb"

	byVips    = "libvips converts the file: "
	inColours = byVips + "vips colourspace FILE " + lossless + " srgb"
	unpacked  = byVips + "vips copy FILE " + lossless
	oneColour = "libvips joins three of them as red, green and blue: " +
		"vips bandjoin 'FILE[page=0] FILE[page=1] FILE[page=2]' rgb.v" + asRGB
	firstPage   = "libvips writes the first one: vips copy 'FILE[page=0]' " + lossless
	firstSample = "libvips writes the first one: vips extract_band FILE " + lossless + " 0"
	firstThree  = "libvips writes the first three as red, green and blue: " +
		"vips extract_band FILE rgb.v 0 --n 3" + asRGB
	from0To1   = "if they are 0 to 1, " + byVips + "vips linear FILE " + lossless + " 255 0 --uchar"
	from0To255 = "if they are 0 to 255, " + byVips + "vips linear FILE " + lossless +
		" 1 0 --uchar"

	byGDAL = "GDAL writes a TIFF file of bands: gdal_translate -of GTiff -co TILED=YES " +
		"-co COMPRESS=DEFLATE FILE bands.tif"

	// libvips 8.14 does not read these, or reads them wrong.
	byPython    = "Python's tifffile converts the file: python3 -c \"import tifffile as t; "
	anyFrom0To1 = "if they are 0 to 1, " + byPython +
		"t.imwrite('slide.tif', (255*t.imread('FILE')+.5).clip(0, 255).astype('uint8'))\""
	anyFrom0To255 = "if they are 0 to 255, " + byPython +
		"t.imwrite('slide.tif', t.imread('FILE').clip(0, 255).astype('uint8'))\""
	threePlanes = "Python's tifffile writes the first three as red, green and blue: " +
		"python3 -c \"import tifffile as t; t.imwrite('slide.tif', t.imread('FILE')[:3], " +
		"photometric='rgb', planarconfig='separate')\""
)

// byCodecs returns the way to convert a picture whose compression libvips does not read.
func (l *layout) byCodecs() string {
	colours := "minisblack"
	if l.samples >= 3 {
		colours = "rgb"
	}
	return "Python's tifffile and imagecodecs convert the file: python3 -c \"import imagecodecs, " +
		"tifffile as t; t.imwrite('slide.tif', t.imread('FILE'), photometric='" + colours +
		"', tile=(256, 256))\""
}

// fewerChannels returns the way to convert a picture of so many channels, which are samples of this
// directory or have a directory each.
func (d *directory) fewerChannels(channels int) string {
	samples, err1 := d.number(tagSamples, 1)
	planes, err2 := d.number(tagPlanes, 1)
	switch {
	case err1 != nil || err2 != nil:
		return firstPage
	case samples == 1 && channels >= 3:
		return oneColour
	case samples == 1:
		return firstPage
	case samples == 2:
		return firstSample
	case planes == 2:
		return threePlanes
	}
	return firstThree
}
