package arrow

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
)

// texts reads texts.
func (c *column) texts(b *batch, f *field, p place, v *frame.Values, n int) error {
	if err := c.hold(16 * int64(n)); err != nil {
		return err
	}
	if f.kind == typeUtf8View {
		return c.views(b, p, v, n)
	}
	ends, err := c.ends(b, p.buffers+1, n, f.kind == typeLargeUtf8)
	if err != nil {
		return err
	}
	data, err := c.buffer(b, p.buffers+2)
	if err != nil {
		return err
	}
	if ends[n] > int64(len(data)) {
		return wrong("its texts end behind their buffer")
	}
	if err := c.hold(ends[n] - ends[0]); err != nil {
		return err
	}
	v.Texts = make([]string, n)
	for i := range v.Texts {
		v.Texts[i] = string(data[ends[i]:ends[i+1]])
	}
	return nil
}

// ends returns the n+1 ends of texts or lists: not negative, and none below the one before it.
func (c *column) ends(b *batch, i, n int, large bool) ([]int64, error) {
	data, err := c.buffer(b, i)
	if err != nil {
		return nil, err
	}
	if n == 0 && len(data) == 0 {
		return []int64{0}, nil
	}
	size := 4
	if large {
		size = 8
	}
	if len(data)/size < n+1 {
		return nil, wrong("it has %d bytes for the ends of %d entries", len(data), n)
	}
	if err := c.hold(8 * int64(n+1)); err != nil {
		return nil, err
	}
	out := make([]int64, n+1)
	for i := range out {
		if large {
			out[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
		} else {
			out[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
		if out[i] < 0 || i > 0 && out[i] < out[i-1] {
			return nil, wrong("entry %d ends before it begins", i-1)
		}
	}
	return out, nil
}

// viewBytes is the size of a view: the bytes of a text, and either up to 12 of them, or the first
// four, the number of a buffer and a place in it.
const viewBytes = 16

// views reads texts that are views of several buffers.
func (c *column) views(b *batch, p place, v *frame.Values, n int) error {
	data, err := c.buffer(b, p.buffers+1)
	if err != nil {
		return err
	}
	if len(data)/viewBytes < n {
		return wrong("it has %d bytes for %d views", len(data), n)
	}
	var buffers [][]byte
	if p.variadic < len(b.variadic) {
		for i := range min(max(b.variadic[p.variadic], 0), int64(len(b.buffers))) {
			part, err := c.buffer(b, p.buffers+2+int(i))
			if err != nil {
				return err
			}
			buffers = append(buffers, part)
		}
	}
	v.Texts = make([]string, n)
	for i := range v.Texts {
		view := data[viewBytes*i:][:viewBytes]
		size := int64(int32(binary.LittleEndian.Uint32(view)))
		if v.Missing != nil && v.Missing[i] {
			continue
		}
		if size >= 0 && size <= 12 {
			v.Texts[i] = string(view[4 : 4+size])
			continue
		}
		from := binary.LittleEndian.Uint32(view[8:])
		at := int64(binary.LittleEndian.Uint32(view[12:]))
		if size < 0 || uint64(from) >= uint64(len(buffers)) ||
			size > int64(len(buffers[from]))-at {
			return wrong("text %d lies outside of its buffers", i)
		}
		if err := c.hold(size); err != nil { // views can share bytes
			return err
		}
		v.Texts[i] = string(buffers[from][at : at+size])
	}
	return nil
}
