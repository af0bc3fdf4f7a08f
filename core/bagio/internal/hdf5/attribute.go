package hdf5

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// An Attribute is a named value of a dataset or group.
type Attribute struct {
	Name  string
	Shape []int // empty for a single value
	Type  Type
	// Value holds the entries, row-major: []int64, []uint64 for unsigned integers of 64 bits,
	// []float64, []bool or []string. It is nil if Type is not supported or there are no entries.
	Value any
}

// Text returns the value of a single text.
func (a Attribute) Text() (string, bool) {
	if v, ok := a.Value.([]string); ok && len(v) == 1 {
		return v[0], true
	}
	return "", false
}

// Numbers returns all entries as numbers. It rounds integers beyond 2^53.
func (a Attribute) Numbers() ([]float64, bool) {
	var out []float64
	switch v := a.Value.(type) {
	case []float64:
		return v, true
	case []int64:
		for _, x := range v {
			out = append(out, float64(x))
		}
	case []uint64:
		for _, x := range v {
			out = append(out, float64(x))
		}
	}
	return out, out != nil
}

// attributes reads the attributes of an object, in the order of the file.
func (s *source) attributes(h *header) ([]Attribute, error) {
	var all []Attribute
	for i := range h.messages {
		m := &h.messages[i]
		switch m.kind {
		case msgAttribute:
			c, err := s.body(m)
			if err != nil {
				return nil, err
			}
			a, err := s.attribute(c)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		case msgAttributeInfo:
			some, err := s.denseAttributes(m)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// denseAttributes reads the attributes that an attribute info message refers to.
func (s *source) denseAttributes(m *message) ([]Attribute, error) {
	c := s.cursor(m.body, m.addr)
	c.version("attribute info message", 0, 0)
	if flags := c.u8(); flags&1 != 0 {
		c.bytes(2) // maximum creation index
	}
	var all []Attribute
	err := s.dense(c, attributeRecords, func(object *cursor) error {
		a, err := s.attribute(object)
		all = append(all, a)
		return err
	})
	return all, err
}

// attribute reads an attribute message (section "Attribute Message").
func (s *source) attribute(c *cursor) (Attribute, error) {
	version := c.version("attribute", 1, 3)
	flags := c.u8()
	if version == 1 {
		flags = 0
	}
	sizes := [3]int{c.u16(), c.u16(), c.u16()}
	if version == 3 {
		c.bytes(1) // character set of the name
	}
	var parts [3]*cursor // name, datatype, dataspace
	for i, n := range sizes {
		if version == 1 {
			n = aligned(n)
		}
		from := c.addr + uint64(c.pos)
		parts[i] = s.cursor(c.bytes(n), from)
	}
	if c.err != nil {
		return Attribute{}, c.err
	}
	name, _, _ := strings.Cut(string(parts[0].b), "\x00")
	a := Attribute{Name: name}
	// Bits 0 and 1 of the flags state that datatype and dataspace are in other headers.
	for i, kind := range []uint16{msgDatatype, msgDataspace} {
		if flags>>i&1 == 0 {
			continue
		}
		shared, err := s.shared(parts[i+1], kind)
		if err != nil {
			return a, err
		}
		parts[i+1] = shared
	}
	a.Type = datatype(parts[1])
	if err := parts[1].err; err != nil {
		return a, err
	}
	p, err := dataspace(parts[2], s.limits.Elements)
	if err != nil {
		return a, err
	}
	a.Shape = p.shape
	return a, s.value(&a, c, p.count())
}

// value reads the n entries of an attribute.
func (s *source) value(a *Attribute, c *cursor, n int) error {
	if !a.Type.numeric() && a.Type.Kind != 'S' || n == 0 {
		return nil
	}
	if n > c.left()/a.Type.Size {
		c.fail("attribute %q has %d entries, which do not fit in it", a.Name, n)
		return c.err
	}
	// The entries take up to eight times the memory of the file's.
	if err := s.reserve(8 * int64(n)); err != nil {
		return err
	}
	// Conversion swaps bytes in place, and the heap's block may be shared.
	data := bytes.Clone(c.bytes(n * a.Type.Size))
	switch {
	case a.Type.Kind == 'S':
		texts, err := s.texts(a.Type, data, c.addr)
		a.Value = texts
		return err
	case a.Type.Kind == 'f' || a.Type.Kind == 'e':
		a.Value = converted[float64](a.Type, data)
	case a.Type.Kind == 'u' && a.Type.Size == 8:
		var values []uint64
		for _, v := range converted[int64](a.Type, data) {
			values = append(values, uint64(v))
		}
		a.Value = values
	case a.Type.Kind == 'b':
		var values []bool
		for _, v := range data {
			values = append(values, v != 0)
		}
		a.Value = values
	default:
		a.Value = converted[int64](a.Type, data)
	}
	return nil
}

// texts decodes texts, which end at their first zero byte or at trailing zeros.
func (s *source) texts(t Type, data []byte, addr uint64) ([]string, error) {
	var all []string
	for len(data) > 0 {
		entry := data[:t.Size]
		data = data[t.Size:]
		if t.variable {
			var err error
			if entry, err = s.variableText(entry, addr); err != nil {
				return nil, err
			}
		}
		text, _, _ := strings.Cut(string(entry), "\x00")
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		all = append(all, text)
	}
	return all, nil
}

// variableText returns a text that an entry refers to in the global heap.
func (s *source) variableText(entry []byte, addr uint64) ([]byte, error) {
	c := s.cursor(entry, addr)
	n, heap, index := c.u32(), c.offset(), c.u32()
	if c.err != nil || n == 0 || heap == 0 || heap == undefined {
		return nil, c.err
	}
	if index > math.MaxUint16 {
		return nil, damaged(addr, "a text refers to object %d of a heap", index)
	}
	object, err := s.globalObject(heap, uint16(index))
	if err == nil && uint64(n) > uint64(len(object)) {
		err = damaged(addr, "a text of %d bytes has %d", n, len(object))
	}
	if err != nil {
		return nil, err
	}
	return object[:n], nil
}
