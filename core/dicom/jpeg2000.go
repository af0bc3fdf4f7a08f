package dicom

import (
	"context"
	"errors"

	"github.com/bagscope/bagscope/core/codec"
	"github.com/bagscope/bagscope/internal/msg"
)

// readJPEG2000 decodes a frame of JPEG 2000: a code stream, or a file in the format JP2. The bits of
// a sample are those of the stream, and the file says whether they have a sign, as pydicom reads
// them. The stream inverts its own colour transform.
func (r *Frame) readJPEG2000(i int) error {
	f := r.file
	packed, err := f.packed(i)
	if err != nil {
		return err
	}
	stream, err := codec.CodeStream(packed)
	if err != nil {
		return undecoded(f.name, err)
	}
	h, err := codec.ReadHeader(stream)
	if err != nil {
		return undecoded(f.name, err)
	}
	g := f.format
	if h.Width != f.Width || h.Height != f.Height || h.Channels != g.samples ||
		h.Bits > g.allocated {
		return bad(f.name, "its JPEG 2000 picture has %d x %d pixels of %d samples of %d bits, but "+
			"the file states %d x %d of %d of %d", h.Width, h.Height, h.Channels, h.Bits, f.Width,
			f.Height, g.samples, g.allocated)
	}
	need := h.Memory(len(stream))
	if err := f.memory.Reserve(need, "a frame of JPEG 2000"); err != nil {
		return err
	}
	defer f.memory.Release(need)
	limits := codec.Limits{Pixels: int64(h.Width) * int64(h.Height)}
	samples, err := codec.JPEG2000(context.Background(), stream, limits)
	if err != nil {
		return undecoded(f.name, err)
	}
	r.format.allocated, r.format.stored, r.format.shift = 16, h.Bits, 0
	if h.Bits <= 8 {
		r.format.allocated = 8
	}
	r.pix, r.rgb = samples.Data, g.photometric != "YBR_FULL" && g.photometric != "YBR_FULL_422"
	return nil
}

// undecoded returns the error for a frame that the decoder of JPEG 2000 rejected.
func undecoded(name string, err error) error {
	if absent := (*codec.UnavailableError)(nil); errors.As(err, &absent) {
		return msg.Errorf("%s: %w", name, err)
	}
	var limit *codec.LimitError
	if errors.As(err, &limit) {
		return &LimitError{name, "a frame of JPEG 2000: " + limit.Error(), "bytes", limit.Most}
	}
	e := bad(name, "its JPEG 2000 picture cannot be read: %v", err)
	e.Err = err
	return e
}
