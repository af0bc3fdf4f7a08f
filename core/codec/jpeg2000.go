package codec

import (
	"cmp"
	"context"
)

// Samples are the values of a decoded picture.
type Samples struct {
	Header
	// Data has the samples row by row and pixel by pixel: one byte each up to 8 bits, otherwise
	// two, the lower first. Signed ones are in two's complement. A channel with fewer samples than
	// pixels repeats them; colours are those of the stream after its own transform.
	Data []byte
}

// Limits bound what decoding takes.
type Limits struct {
	Pixels int64 // default 2^26, 8192 x 8192
	Memory int64 // bytes, see [Header.Memory] and [Header.GoMemory]; default and at most 2^30
}

const (
	mostPixels = 1 << 26
	mostMemory = 1 << 30
)

// allow returns a *LimitError for a picture that needs more than the limits.
func (l Limits) allow(h Header, bytes int64) error {
	most := cmp.Or(l.Pixels, mostPixels)
	if pixels := int64(h.Width) * int64(h.Height); pixels > most {
		return &LimitError{"pixels", pixels, most}
	}
	if most = min(cmp.Or(l.Memory, mostMemory), mostMemory); bytes > most {
		return &LimitError{"bytes of memory", bytes, most}
	}
	return nil
}

// JPEG2000 decodes a raw code stream of JPEG 2000. Sizes are checked before anything is decoded. It
// may be called from several goroutines, each of which uses an instance of the decoder.
//
// Time is bounded, too: a decoder stops after steps in proportion to the stream and its picture,
// the same ones on every machine. A context that has ended keeps it from beginning.
//
// It returns a *[FormatError] for a stream that cannot be decoded whole, a *[LimitError] if the
// picture exceeds a limit, and the error of a context that has ended.
func JPEG2000(ctx context.Context, stream []byte, limits Limits) (*Samples, error) {
	h, err := ReadHeader(stream)
	if err != nil {
		return nil, err
	}
	if err := limits.allow(h, h.Memory(len(stream))); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := decode(ctx, h, stream)
	if err != nil {
		return nil, err
	}
	return &Samples{h, data}, nil
}
