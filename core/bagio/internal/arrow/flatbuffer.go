package arrow

import (
	"encoding/binary"

	"github.com/bagscope/bagscope/internal/msg"
)

// A flat is a table of a FlatBuffer at a place. A place outside of the buffer sets the error that
// all tables of the buffer share, and yields zeros.
type flat struct {
	b   []byte
	at  int
	err *error
}

// rootOf returns the table that a buffer begins with.
func rootOf(b []byte, err *error) flat {
	f := flat{b: b, err: err}
	f.at = f.follow(0)
	return f
}

// bytes returns n bytes at a place, or zeros.
func (f flat) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(f.b)-n {
		if *f.err == nil {
			*f.err = msg.Errorf("its description refers to byte %d of %d", at, len(f.b))
		}
		return make([]byte, max(0, min(n, 8)))
	}
	return f.b[at : at+n]
}

func (f flat) u32(at int) int { return int(binary.LittleEndian.Uint32(f.bytes(at, 4))) }

// follow returns the place to which an offset refers.
func (f flat) follow(at int) int { return at + f.u32(at) }

// field returns the place of a field, or 0 if it is absent.
func (f flat) field(i int) int {
	table := f.at - int(int32(f.u32(f.at)))
	size := int(binary.LittleEndian.Uint16(f.bytes(table, 2)))
	if 4+2*i+2 > size {
		return 0
	}
	at := int(binary.LittleEndian.Uint16(f.bytes(table+4+2*i, 2)))
	if at == 0 {
		return 0
	}
	return f.at + at
}

// number returns a whole number of 1, 2, 4 or 8 bytes, or 0.
func (f flat) number(i, size int) int64 {
	at := f.field(i)
	if at == 0 {
		return 0
	}
	return f.numberAt(at, size)
}

func (f flat) numberAt(at, size int) int64 {
	b := f.bytes(at, size)
	switch size {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// table returns the table that a field refers to, and whether it exists.
func (f flat) table(i int) (flat, bool) {
	at := f.field(i)
	if at == 0 {
		return flat{}, false
	}
	return flat{f.b, f.follow(at), f.err}, *f.err == nil
}

// text returns a text.
func (f flat) text(i int) string {
	at, n := f.vector(i, 1)
	return string(f.bytes(at, n))
}

// vector returns the place of the entries of a vector, each of size bytes, and their number.
func (f flat) vector(i, size int) (at, n int) {
	if at = f.field(i); at == 0 {
		return 0, 0
	}
	at = f.follow(at)
	n = f.u32(at)
	if *f.err == nil && n > (len(f.b)-at-4)/size {
		*f.err = msg.Errorf("its description has a list of %d entries, which ends behind it", n)
	}
	if *f.err != nil {
		return 0, 0
	}
	return at + 4, n
}

// tables calls use with the tables of a vector.
func (f flat) tables(i int, use func(flat)) {
	at, n := f.vector(i, 4)
	for j := 0; j < n && *f.err == nil; j++ {
		use(flat{f.b, f.follow(at + 4*j), f.err})
	}
}
