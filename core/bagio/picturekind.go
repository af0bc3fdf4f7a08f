package bagio

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg" // these imports register their decoders with package image
	_ "image/png"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/jpegframe"
	"github.com/bagscope/bagscope/core/internal/webpframe"
	"github.com/bagscope/bagscope/core/slide"
	_ "golang.org/x/image/webp"
)

// A pictureKind is a file format of pictures.
type pictureKind struct {
	name    string
	endings []string
	begins  func(data []byte) bool
	// most returns the maximum number of pixels in a file whose header could be read.
	most func(data []byte) int64
}

const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	jpegMagic = "\xff\xd8\xff"
)

// pictureKinds are the formats of pictures. Of a TIFF file with several pictures, the first is
// read, and of a pyramid the largest level.
var pictureKinds = []pictureKind{
	{"PNG", []string{".png"}, magic(pngMagic), pngPixels},
	{"JPEG", []string{".jpg", ".jpeg"}, magic(jpegMagic), jpegPixels},
	{"WebP", []string{".webp"}, isWebP, anyPixels},
	{"TIFF", []string{".tif", ".tiff", ".svs", ".ndpi", ".scn", ".bif"}, slide.IsSlide, anyPixels},
}

// decodePicture decodes a picture in memory that is no TIFF file.
func decodePicture(data []byte) (image.Image, error) {
	if isWebP(data) {
		return webpframe.Decode(bytes.NewReader(data))
	}
	if begins(data, jpegMagic) {
		return jpegframe.Decode(bytes.NewReader(data))
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	return m, err
}

// pictureKindOf returns the format of a file, or nil if it is not a picture.
func pictureKindOf(data []byte) *pictureKind {
	i := slices.IndexFunc(pictureKinds, func(k pictureKind) bool { return k.begins(data) })
	if i < 0 {
		return nil
	}
	return &pictureKinds[i]
}

// pictureNames returns the names of all formats of pictures, for messages.
func pictureNames(conjunction string) string {
	var names []string
	for _, k := range pictureKinds {
		names = append(names, k.name)
	}
	return enumerate(names, conjunction)
}

// unreadable returns the error for a picture that its decoder rejected.
func unreadable(name string, err error) error {
	if unsupported := jpeg.UnsupportedError(""); errors.As(err, &unsupported) {
		return bad(name, "this kind of JPEG picture is not supported (%s); save it as PNG",
			string(unsupported))
	}
	return bad(name, "the picture cannot be read: %v", err)
}

func isWebP(data []byte) bool {
	return begins(data, "RIFF") && len(data) >= 12 && string(data[8:12]) == "WEBP"
}

// isAnimated reports whether a file is a WebP picture of several frames.
func isAnimated(data []byte) bool {
	return isWebP(data) && len(data) > 20 && string(data[12:16]) == "VP8X" && data[20]&2 != 0
}

// pngPixels returns the maximum number of pixels in a PNG file of this length: deflate expands a
// byte to at most 1032 bytes. The header of data must be valid.
func pngPixels(data []byte) int64 {
	depth, channels := int64(data[24]), map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[data[25]]
	return int64(len(data)) * maxDeflate * 8 / max(depth*channels, 1)
}

// jpegPixels returns the maximum number of pixels in a JPEG file of this length: a block of 64
// pixels takes at least one bit, and a block of a subsampled component covers up to 16 blocks.
func jpegPixels(data []byte) int64 { return int64(len(data)) * 8 * 64 * 16 }

// anyPixels is for formats in which a few bytes can describe any number of pixels: only Limits
// bounds them.
func anyPixels([]byte) int64 { return math.MaxInt64 }
