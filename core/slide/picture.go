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

// picture decodes the file of a tile that is a picture of a size.
func (l *dziLevel) picture(
	work *workspace, packed []byte, size image.Point,
) (image.Image, error) {
	var config func(io.Reader) (image.Config, error)
	var whole func(io.Reader) (image.Image, error)
	var perPixel, once int64
	switch strings.ToLower(l.about.Format) {
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
	if c.Width != size.X || c.Height != size.Y {
		return nil, fmt.Errorf("it is a picture of %d x %d pixels instead of %d x %d", c.Width,
			c.Height, size.X, size.Y)
	}
	// Decoders round sides up to 32 pixels at most, and the tile is a copy.
	area := int64(size.X+32) * int64(size.Y+32)
	if err := work.take(once + (perPixel+4)*area); err != nil {
		return nil, err
	}
	return whole(bytes.NewReader(packed))
}

// copied returns a part of a picture over white, with its corner at (0, 0).
func copied(m image.Image, part image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, m, m.Bounds().Min.Add(part.Min), draw.Over)
	return out
}
