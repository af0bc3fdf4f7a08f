package dicom

import (
	"context"
	"errors"

	"github.com/bagscope/bagscope/core/codec"
	"github.com/bagscope/bagscope/internal/msg"
)

// A decoder decodes the frames of a packing.
type decoder struct {
	name   string
	stream func(packed []byte) ([]byte, error) // the stream in a frame, nil for all of it
	header func(stream []byte) (codec.Header, error)
	memory func(h codec.Header, streamBytes int) int64
	decode func(context.Context, []byte, codec.Limits) (*codec.Samples, error)
}

// decoders are those of package codec. A frame of JPEG 2000 is a code stream, or a file in the
// format JP2. That of JPEG is for streams that image/jpeg does not decode.
var decoders = map[packing]decoder{
	jpeg2000: {"JPEG 2000", codec.CodeStream, codec.ReadHeader, codec.Header.Memory,
		codec.JPEG2000},
	jpegLS: {"JPEG-LS", nil, codec.ReadJPEGLSHeader, inGo, codec.JPEGLS},
	jpeg:   {"JPEG", nil, codec.ReadJPEGHeader, inGo, codec.JPEG},
}

func inGo(h codec.Header, _ int) int64 { return h.GoMemory() }

// decode decodes a packed frame by package codec. The bits of a sample are those of the stream,
// and the file says whether they have a sign, as pydicom reads them. A stream of JPEG 2000 inverts
// its own colour transform.
func (r *Frame) decode(stream []byte) (err error) {
	f, d := r.file, decoders[r.file.syntax.packing]
	if d.stream != nil {
		if stream, err = d.stream(stream); err != nil {
			return d.failed(f.name, err)
		}
	}
	h, err := d.header(stream)
	if err != nil {
		return d.failed(f.name, err)
	}
	g := f.format
	if h.Width != f.Width || h.Height != f.Height || h.Channels != g.samples ||
		h.Bits > g.allocated {
		return bad(f.name, "its %s picture has %d x %d pixels of %d samples of %d bits, but the "+
			"file states %d x %d of %d of %d", msg.Text(d.name), h.Width, h.Height, h.Channels,
			h.Bits, f.Width, f.Height, g.samples, g.allocated)
	}
	need := d.memory(h, len(stream))
	if err := f.memory.Reserve(need, "a compressed frame"); err != nil {
		return err
	}
	defer f.memory.Release(need)
	limits := codec.Limits{Pixels: int64(h.Width) * int64(h.Height)}
	samples, err := d.decode(context.Background(), stream, limits)
	if err != nil {
		return d.failed(f.name, err)
	}
	r.format.allocated, r.format.stored, r.format.shift = 16, h.Bits, 0
	if h.Bits <= 8 {
		r.format.allocated = 8
	}
	r.pix, r.rgb = samples.Data, g.photometric != "YBR_FULL" && g.photometric != "YBR_FULL_422"
	return nil
}

// failed returns the error for a frame that its decoder rejected.
func (d decoder) failed(name string, err error) error {
	if absent := (*codec.UnavailableError)(nil); errors.As(err, &absent) {
		return msg.Errorf("%s: %w", name, err)
	}
	var limit *codec.LimitError
	if errors.As(err, &limit) {
		return &LimitError{name, msg.Sprintf("a frame of %s: %v", msg.Text(d.name), limit),
			"bytes", limit.Most}
	}
	e := bad(name, "its %s picture cannot be read: %v", msg.Text(d.name), err)
	e.Err = err
	return e
}
