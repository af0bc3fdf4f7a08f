package slide

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"strings"

	"github.com/bagscope/bagscope/core/internal/jpegframe"
	"github.com/bagscope/bagscope/core/internal/webpframe"
	"golang.org/x/image/webp"
)

// tilePicture decodes the file of a tile, whose format is the ending of its name, if its size fits.
func tilePicture(
	work *workspace, packed []byte, format string, fits func(size image.Point) error,
) (image.Image, error) {
	var config func(io.Reader) (image.Config, error)
	var whole func(io.Reader) (image.Image, error)
	var perPixel, once int64
	switch strings.ToLower(format) {
	case "png":
		// Samples of 16 bits, and a second copy of an interlaced picture.
		config, whole, perPixel = png.DecodeConfig, png.Decode, 16
	case "webp":
		config, whole = webp.DecodeConfig, webpframe.Decode
		perPixel, once = webpframe.Bytes(packed)
	default:
		if err := jpegframe.Check(packed); err != nil {
			return nil, err
		}
		config, whole = jpegConfig, jpegframe.Decode
		perPixel = jpegframe.Bytes(packed)
	}
	c, err := config(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	size := image.Pt(c.Width, c.Height)
	if err := fits(size); err != nil {
		return nil, err
	}
	// Decoders round sides up to 32 pixels at most, and the tile is a copy.
	area := int64(size.X+32) * int64(size.Y+32)
	if err := work.take(once + (perPixel+4)*area); err != nil {
		return nil, err
	}
	return whole(bytes.NewReader(packed))
}

// exactly returns the test of a picture that must have a size.
func exactly(size image.Point) func(image.Point) error {
	return func(is image.Point) error {
		if is != size {
			return fmt.Errorf("it is a picture of %d x %d pixels instead of %d x %d", is.X, is.Y,
				size.X, size.Y)
		}
		return nil
	}
}

// copied returns a part of a picture over white, with its corner at (0, 0).
func copied(m image.Image, part image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, m, m.Bounds().Min.Add(part.Min), draw.Over)
	return out
}
