package bagio

import (
	"encoding/binary"
	"math"

	"github.com/bagscope/bagscope/core/internal/half"
)

// order returns the byte order of the entries.
func (e dtype) order() binary.ByteOrder {
	if e.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// float returns a function that decodes one number to a float64. It rounds only 64-bit integers
// beyond 2^53.
func (e dtype) float() func([]byte) float64 {
	o := e.order()
	if e.kind == 'f' {
		switch e.size {
		case 2:
			return func(b []byte) float64 { return half.Float64(o.Uint16(b)) }
		case 4:
			return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }
		}
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }
	}
	if e.kind == 'u' && e.size == 8 {
		return func(b []byte) float64 { return float64(o.Uint64(b)) }
	}
	get := e.integer()
	return func(b []byte) float64 {
		v, _ := get(b)
		return float64(v)
	}
}

// integer returns a function that decodes one integer exactly. ok is false for a number that does
// not fit an int, or that is not an integer.
func (e dtype) integer() func([]byte) (int, bool) {
	o := e.order()
	switch e.kind {
	case 'b':
		return func(b []byte) (int, bool) {
			return int(min(b[0], 1)), true
		}
	case 'i':
		return func(b []byte) (int, bool) {
			v := signed(b, e.size, o)
			return int(v), int64(int(v)) == v
		}
	case 'u':
		return func(b []byte) (int, bool) {
			v := unsigned(b, e.size, o)
			return int(v), v <= math.MaxInt
		}
	}
	get := e.float()
	return func(b []byte) (v int, ok bool) {
		x := get(b)
		return int(x), x == math.Trunc(x) && math.Abs(x) <= mostExact
	}
}

// mostExact is the largest whole number up to which float64 holds every one.
const mostExact = 1 << 53

// unsigned decodes an unsigned integer of 1, 2, 4 or 8 bytes.
func unsigned(b []byte, size int, o binary.ByteOrder) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(o.Uint16(b))
	case 4:
		return uint64(o.Uint32(b))
	}
	return o.Uint64(b)
}

// signed decodes a two's-complement integer of 1, 2, 4 or 8 bytes.
func signed(b []byte, size int, o binary.ByteOrder) int64 {
	unused := 64 - 8*size // shifts move the sign bit to the top and back, which extends it
	return int64(unsigned(b, size, o)<<unused) >> unused
}
