package bagio

import (
	"encoding/binary"
	"math"
	"sync"
)

func (e element) order() binary.ByteOrder {
	if e.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// float returns the function that reads one number as a float64. Only 64-bit integers beyond 2^53
// are rounded.
func (e element) float() func([]byte) float64 {
	o := e.order()
	if e.kind == 'f' {
		switch e.size {
		case 2:
			t := halves()
			return func(b []byte) float64 { return float64(t[o.Uint16(b)]) }
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

// integer returns the function that reads one integer exactly, false when it does not fit an int,
// or nil when the elements are not integers.
func (e element) integer() func([]byte) (int, bool) {
	o := e.order()
	switch e.kind {
	case 'b':
		return func(b []byte) (int, bool) {
			if b[0] != 0 {
				return 1, true
			}
			return 0, true
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
	return nil
}

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

func signed(b []byte, size int, o binary.ByteOrder) int64 {
	unused := 64 - 8*size
	return int64(unsigned(b, size, o)<<unused) >> unused
}

// halves returns what every binary16 stands for. A bag has millions of them, and half takes ten times as long as a look.
var halves = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	for h := range t {
		t[h] = float32(half(uint16(h)))
	}
	return t
})

// half widens an IEEE 754 binary16.
func half(h uint16) float64 {
	sign := 1.0
	if h>>15 == 1 {
		sign = -1
	}
	exponent, fraction := int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
