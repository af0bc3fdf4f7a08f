package arrow

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/core/internal/half"
	"github.com/bagscope/bagscope/core/internal/packed"
	"github.com/bagscope/bagscope/internal/msg"
)

// A column reads the batches of a column.
type column struct {
	f     *File
	index int
	batch int   // the next one
	held  int64 // bytes that are reserved for a batch
	need  int64 // bytes that this batch needs
}

// Read implements frame.Table.
func (f *File) Read(i int) frame.Reader { return &column{f: f, index: i} }

// Next implements frame.Reader.
func (c *column) Next() (*frame.Values, error) {
	if c.batch == len(c.f.batches) {
		return nil, io.EOF
	}
	b := c.f.batches[c.batch]
	c.batch++
	c.need = 0
	v, err := c.read(b)
	if wrong, ok := err.(*frame.FormatError); ok {
		wrong.Column = c.f.fields[c.index].name
	} else if err != nil && !own(err) {
		err = &frame.FormatError{Column: c.f.fields[c.index].name, Offset: b.body,
			Reason: msg.Sprintf("a batch: %v", err)}
	}
	return v, err
}

// own reports whether an error is that of a limit or of reserving memory.
func own(err error) bool {
	_, format := err.(wrongError)
	return !format
}

// A wrongError is a fault of a batch.
type wrongError struct{ error }

func wrong(format string, args ...any) error { return wrongError{msg.Errorf(format, args...)} }

// read reads the column in a batch.
func (c *column) read(b *batch) (*frame.Values, error) {
	if err := c.f.lay(b); err != nil {
		return nil, err
	}
	p := b.places[c.index]
	f := c.f.fields[c.index]
	kind := f.column()
	if kind.Kind == frame.Other {
		return nil, wrong("it holds %s", msg.Text(kind.Type))
	}
	if !kind.List {
		v, err := c.entries(b, f, p, b.rows)
		if err != nil {
			return nil, err
		}
		v.Rows = int(b.rows)
		return v, nil
	}
	return c.lists(b, f, p)
}

// lay finds the places of all fields in a batch.
func (f *File) lay(b *batch) error {
	if b.places != nil {
		return nil
	}
	if err := f.limits.Hold(24 * int64(len(f.fields))); err != nil {
		return err
	}
	b.places = make([]place, len(f.fields))
	p := place{}
	for i, field := range f.fields {
		b.places[i] = p
		p = field.after(p, b.variadic)
	}
	return nil
}

// hold reserves bytes for the batch.
func (c *column) hold(n int64) error {
	if c.need += n; c.need > c.f.limits.Bytes || c.need < 0 {
		return &frame.LimitError{What: msg.Sprintf("a batch of column %s takes %d bytes",
			c.f.fields[c.index].name, c.need), Setting: "bytes", Limit: c.f.limits.Bytes}
	}
	if c.need <= c.held {
		return nil
	}
	err := c.f.limits.Hold(c.need - c.held)
	if err == nil {
		c.held = c.need
	}
	return err
}

// node returns the node of a field of n entries.
func (b *batch) node(p place, n int64) (node, error) {
	if p.nodes >= len(b.nodes) {
		return node{}, wrong("it has no entries")
	}
	if got := b.nodes[p.nodes]; got.entries != n {
		return node{}, wrong("it has %d entries instead of %d", got.entries, n)
	}
	return b.nodes[p.nodes], nil
}

// buffer returns the bytes of a buffer.
func (c *column) buffer(b *batch, i int) ([]byte, error) {
	if i >= len(b.buffers) {
		return nil, wrong("its buffer %d is missing", i)
	}
	part := b.buffers[i]
	if part.at < 0 || part.size < 0 || part.size > b.bodySize || part.at > b.bodySize-part.size {
		return nil, wrong("its buffer %d lies outside of the batch", i)
	}
	if part.size == 0 {
		return nil, nil
	}
	if err := c.hold(part.size); err != nil {
		return nil, err
	}
	data := make([]byte, part.size)
	if err := c.f.fill(data, b.body+part.at); err != nil {
		return nil, err
	}
	if b.codec == codecNone {
		return data, nil
	}
	if len(data) < 8 {
		return nil, wrong("its buffer %d has no size", i)
	}
	size := int64(binary.LittleEndian.Uint64(data))
	if data = data[8:]; size == -1 { // packing made it no smaller
		return data, nil
	}
	if size < 0 {
		return nil, wrong("its buffer %d has %d bytes", i, size)
	}
	if err := c.hold(size); err != nil {
		return nil, err
	}
	out := make([]byte, size)
	var err error
	switch b.codec {
	case codecLZ4:
		err = packed.LZ4Frame(out, data)
	case codecZstd:
		err = packed.Zstd(out, data)
	default:
		return nil, wrong("its codec %d is not known", b.codec)
	}
	if err != nil {
		return nil, wrong("its buffer %d: %v", i, err)
	}
	return out, nil
}

// missing returns which entries are missing, or nil.
func (c *column) missing(b *batch, p place, n node) ([]bool, error) {
	if n.missing == 0 {
		return nil, nil
	}
	bits, err := c.buffer(b, p.buffers)
	if err != nil {
		return nil, err
	}
	if len(bits) == 0 {
		return nil, nil
	}
	if int64(len(bits)) < (n.entries+7)/8 {
		return nil, wrong("its bitmap is too short")
	}
	if err := c.hold(n.entries); err != nil {
		return nil, err
	}
	out := make([]bool, n.entries)
	for i := range out {
		out[i] = bits[i/8]>>(i%8)&1 == 0
	}
	return out, nil
}

// entries reads the n entries of a field without lists.
func (c *column) entries(b *batch, f *field, p place, n int64) (*frame.Values, error) {
	state, err := b.node(p, n)
	if err != nil {
		return nil, err
	}
	stored := f
	if f.hasDict {
		stored = f.index
	}
	v := &frame.Values{}
	if v.Missing, err = c.missing(b, p, state); err != nil {
		return nil, err
	}
	switch stored.entryKind() {
	case frame.Text:
		err = c.texts(b, stored, p, v, int(n))
	case frame.Other:
		err = wrong("the type of its dictionary is not read")
	default:
		err = c.numbers(b, stored, p, v, int(n))
	}
	if err != nil || !f.hasDict {
		return v, err
	}
	return c.looked(f, v)
}

// numbers reads numbers and booleans.
func (c *column) numbers(b *batch, f *field, p place, v *frame.Values, n int) error {
	data, err := c.buffer(b, p.buffers+1)
	if err != nil {
		return err
	}
	bits := f.bits
	if f.kind == typeBool {
		bits = 1
	}
	if int64(len(data))*8 < int64(n)*int64(bits) {
		return wrong("it has %d bytes for %d entries of %d bits", len(data), n, bits)
	}
	if err := c.hold(8 * int64(n)); err != nil {
		return err
	}
	if f.kind == typeFloat {
		v.Reals = make([]float64, n)
		for i := range v.Reals {
			switch bits {
			case 16:
				v.Reals[i] = half.Float64(binary.LittleEndian.Uint16(data[2*i:]))
			case 32:
				v.Reals[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
			default:
				v.Reals[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
			}
		}
		return nil
	}
	v.Wholes = make([]int64, n)
	for i := range v.Wholes {
		v.Wholes[i] = f.whole(data, i)
		if f.unsigned && bits == 64 && v.Wholes[i] < 0 && (v.Missing == nil || !v.Missing[i]) {
			return wrong("it holds the number %d, which is too large for a signed one of 64 "+
				"bits; write the column as text", uint64(v.Wholes[i]))
		}
	}
	return nil
}

// whole returns whole number i.
func (f *field) whole(data []byte, i int) int64 {
	if f.kind == typeBool {
		return int64(data[i/8] >> (i % 8) & 1)
	}
	var v uint64
	switch f.bits {
	case 8:
		v = uint64(data[i])
	case 16:
		v = uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 32:
		v = uint64(binary.LittleEndian.Uint32(data[4*i:]))
	default:
		v = binary.LittleEndian.Uint64(data[8*i:])
	}
	if f.unsigned {
		return int64(v)
	}
	shift := 64 - f.bits
	return int64(v<<shift) >> shift
}

// looked replaces entries by the values of a dictionary to which they refer.
func (c *column) looked(f *field, v *frame.Values) (*frame.Values, error) {
	d, err := c.dictionary(f)
	if err != nil {
		return nil, err
	}
	out := &frame.Values{Missing: v.Missing}
	if err := c.hold(16 * int64(len(v.Wholes))); err != nil {
		return nil, err
	}
	for i, at := range v.Wholes {
		if v.Missing != nil && v.Missing[i] {
			at = -1
		} else if at < 0 || at >= int64(d.Len()) {
			return nil, wrong("it refers to value %d of %d in its dictionary", at, d.Len())
		}
		switch f.entryKind() {
		case frame.Text:
			out.Texts = append(out.Texts, entryAt(d.Texts, at))
		case frame.Real:
			out.Reals = append(out.Reals, entryAt(d.Reals, at))
		case frame.Whole:
			out.Wholes = append(out.Wholes, entryAt(d.Wholes, at))
		}
	}
	return out, nil
}

// entryAt returns an entry, or zero for -1.
func entryAt[T any](list []T, at int64) (v T) {
	if at >= 0 {
		v = list[at]
	}
	return v
}

// dictionary returns the values of a dictionary, which stay in memory.
func (c *column) dictionary(f *field) (*frame.Values, error) {
	if v := c.f.values[f.dict]; v != nil {
		return v, nil
	}
	all := &frame.Values{}
	plain := *f
	plain.hasDict = false
	for _, b := range c.f.dictionaries[f.dict] {
		part, err := c.entries(b, &plain, place{}, b.rows)
		if err != nil {
			return nil, err
		}
		all.Texts = append(all.Texts, part.Texts...)
		all.Reals = append(all.Reals, part.Reals...)
		all.Wholes = append(all.Wholes, part.Wholes...)
	}
	c.held, c.need = 0, 0 // they stay beside the memory of batches
	c.f.values[f.dict] = all
	return all, nil
}
