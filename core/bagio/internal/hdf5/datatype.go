package hdf5

import "fmt"

// A Type is the type of the entries of a dataset or an attribute.
type Type struct {
	// Kind is 'i' for signed and 'u' for unsigned integers, 'f' for IEEE 754 floats, 'e' for
	// bfloat16, 'b' for booleans, 'S' for texts, 'R' for references to objects, and 0 for types
	// that are not supported.
	Kind byte
	Size int  // bytes of an entry
	Big  bool // big-endian
	// the file does not state that the entries, of two bytes, are bfloat16, which HDF5 cannot name
	Opaque bool

	variable bool   // a text in a global heap
	other    string // what an unsupported type is
	members  []member
}

// String returns NumPy's name of the type, such as "<f4", or a word.
func (t Type) String() string {
	order := "<"
	switch {
	case t.Kind == 0, t.Kind == 'R':
		return t.other
	case t.Kind == 'e':
		return "bfloat16"
	case t.Kind == 'S':
		return "text"
	case t.Size == 1:
		order = "|"
	case t.Big:
		order = ">"
	}
	return fmt.Sprintf("%s%c%d", order, t.Kind, t.Size)
}

// numeric reports whether entries can be converted to numbers.
func (t Type) numeric() bool { return t.Kind != 0 && t.Kind != 'S' && t.Kind != 'R' }

// datatype reads a datatype message (section "Datatype Message"). Types that are not supported are
// not an error.
func datatype(c *cursor) Type {
	head := c.u8()
	flags := c.uint(3)
	size := c.u32()
	if c.err == nil && (head>>4 < 1 || head>>4 > 5) {
		c.err = unsupported("version %d of a datatype", head>>4)
	}
	if c.err == nil && (size == 0 || size > 1<<30) {
		c.fail("a datatype has %d bytes", size)
	}
	t := Type{Size: int(size), Big: flags&1 != 0}
	switch class := head & 15; class {
	case 0:
		t.fixed(c, flags)
	case 1:
		t.float(c, flags)
	case 3:
		t.Kind, t.Big = 'S', false // the flags state how texts are padded
	case 8:
		t.enumeration(c, head>>4, int(flags&0xffff))
	case 9:
		t.variable, t.Big = flags&15 == 1, false
		if t.other = "a list of variable length"; t.variable {
			t.Kind = 'S'
		}
	case 7:
		t.other, t.Big = "reference", false // the flags state what it refers to
		if flags&15 == 0 {
			t.Kind = 'R'
		}
	case 5:
		t.other, t.Big = "opaque", false // the flags count the characters of a tag
		if t.Opaque = t.Size == 2; t.Opaque {
			t.Kind = 'e'
		}
	case 6:
		t.other, t.Big = "compound", false // the flags count the members
		t.members = members(c, head>>4, int(flags&0xffff), t.Size)
	default:
		t.other = fmt.Sprintf("class %d", class)
		names := []string{2: "time", 4: "bit field", 10: "array", 11: "complex"}
		if int(class) < len(names) {
			t.other = names[class]
		}
	}
	return t
}

// fixed reads the properties of an integer.
func (t *Type) fixed(c *cursor, flags uint64) {
	offset, precision := c.u16(), c.u16()
	if t.Kind = 'u'; flags&8 != 0 {
		t.Kind = 'i'
	}
	if size := t.Size; offset != 0 || precision != 8*size || size > 8 || size&(size-1) != 0 {
		t.Kind = 0
		t.other = fmt.Sprintf("an integer of %d bits in %d bytes", precision, size)
	}
}

// float reads the properties of a float, which must be those of a type that processors have.
func (t *Type) float(c *cursor, flags uint64) {
	type format struct {
		size, sign                          int
		offset, precision                   int
		exponent, exponentBits, mantissa, m byte
		bias                                uint32
	}
	f := format{size: t.Size, sign: int(flags >> 8 & 0xff), offset: c.u16(), precision: c.u16(),
		exponent: c.u8(), exponentBits: c.u8(), mantissa: c.u8(), m: c.u8(), bias: c.u32()}
	ordered := flags&0x40 == 0 && flags>>4&3 == 2 // not VAX; the mantissa's first 1 is implied
	switch {
	case !ordered:
	case f == format{2, 15, 0, 16, 10, 5, 0, 10, 15},
		f == format{4, 31, 0, 32, 23, 8, 0, 23, 127},
		f == format{8, 63, 0, 64, 52, 11, 0, 52, 1023}:
		t.Kind = 'f'
	case f == format{2, 15, 0, 16, 7, 8, 0, 7, 127}:
		t.Kind = 'e'
	}
	t.other = fmt.Sprintf("a float of %d bits with an exponent of %d", f.precision, f.exponentBits)
}

// enumeration reads an enumeration as its integers. NumPy's booleans are one with the members FALSE
// and TRUE.
func (t *Type) enumeration(c *cursor, version byte, members int) {
	base := datatype(c)
	if base.Kind != 'i' && base.Kind != 'u' || base.Size != t.Size {
		t.other = "an enumeration of " + base.String()
		return
	}
	*t = base
	if members != 2 || t.Size != 1 {
		return
	}
	var names [2]string
	for i := range names {
		from := c.pos
		names[i] = c.text()
		if version < 3 {
			c.bytes((from - c.pos) & 7)
		}
	}
	if values := c.bytes(2); c.err == nil && names == [2]string{"FALSE", "TRUE"} &&
		values[0] == 0 && values[1] == 1 {
		t.Kind = 'b'
	}
}
