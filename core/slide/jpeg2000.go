package slide

import (
	"context"
	"errors"
	"image"
	"image/color"

	"github.com/bagscope/bagscope/core/codec"
	"github.com/bagscope/bagscope/internal/msg"
)

// byAperio reports whether blocks are code streams of JPEG 2000 as scanners of Aperio write them:
// three channels of eight bits, red, green and blue or YCbCr. The compression says which, whatever
// the photometric interpretation, as OpenSlide reads it.
func (l *layout) byAperio() bool {
	return l.compression == byAperioYCC || l.compression == byAperioRGB
}

var errUnlikeTile = errors.New("it is not a picture of three channels of 8 bits with the size " +
	"of the block")

// decodeAperio decodes a block of JPEG 2000. Chroma of half the resolution is repeated, as
// OpenSlide does.
func (l *layout) decodeAperio(
	work *workspace, packed []byte, size image.Point,
) (*image.RGBA, error) {
	h, err := codec.ReadHeader(packed)
	if err == nil && h != (codec.Header{Width: size.X, Height: size.Y, Channels: 3, Bits: 8}) {
		err = errUnlikeTile
	}
	if err != nil {
		return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
	}
	if err := work.take(h.Memory(len(packed)) + 4*int64(size.X)*int64(size.Y)); err != nil {
		return nil, err
	}
	samples, err := codec.JPEG2000(context.Background(), packed, codec.Limits{Pixels: l.most})
	if absent := (*codec.UnavailableError)(nil); errors.As(err, &absent) {
		return nil, msg.Errorf("%s: %w", l.name, err)
	}
	if err != nil {
		return nil, because(err, l.name, "a block of %s cannot be decoded", l.what)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for i, from := 0, samples.Data; i < len(out.Pix); i, from = i+4, from[3:] {
		p := out.Pix[i : i+4 : i+4]
		p[0], p[1], p[2], p[3] = from[0], from[1], from[2], 255
		if l.compression == byAperioYCC {
			p[0], p[1], p[2] = color.YCbCrToRGB(from[0], from[1], from[2])
		}
	}
	return out, nil
}
