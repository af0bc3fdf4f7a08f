package hdf5

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/bagscope/bagscope/core/internal/half"
)

// A number is a type that entries are converted to, as NumPy's astype does. A float that is not a
// number or too large for an int64 becomes the smallest int64, as on x86; an unsigned integer wraps
// around.
type number interface {
	float32 | float64 | int64 | uint8
}

// native reports whether entries of a type are stored as T is in memory.
func native[T number](t Type) bool {
	var zero T
	kind := byte('f')
	switch any(zero).(type) {
	case int64:
		kind = 'i'
	case uint8:
		kind = 'u'
	}
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	return t.Kind == kind && t.Size == int(unsafe.Sizeof(zero)) && t.Big != little
}

// memory returns the bytes of a slice.
func memory[T number](s []T) []byte {
	var zero T
	p := unsafe.Pointer(unsafe.SliceData(s))
	return unsafe.Slice((*byte)(p), len(s)*int(unsafe.Sizeof(zero)))
}

// converted returns all entries in data, which it may overwrite.
func converted[T number](t Type, data []byte) []T {
	out := make([]T, len(data)/t.Size)
	convert(out, data, t.little(data))
	return out
}

// little swaps the bytes of big-endian entries in place, and returns the type that they have then.
func (t Type) little(data []byte) Type {
	if t.Big {
		for i := 0; i+t.Size <= len(data); i += t.Size {
			slices.Reverse(data[i : i+t.Size])
		}
	}
	t.Big = false
	return t
}

// convert decodes len(dst) little-endian entries.
func convert[T number](dst []T, src []byte, t Type) {
	if native[T](t) {
		copy(memory(dst), src)
		return
	}
	src = src[:len(dst)*t.Size]
	switch t.Kind {
	case 'i':
		convertSigned(dst, src, t.Size)
	case 'u':
		convertUnsigned(dst, src, t.Size)
	case 'b':
		for i, v := range src {
			dst[i] = 0
			if v != 0 {
				dst[i] = 1
			}
		}
	default:
		convertFloat(dst, src, t)
	}
}

func convertSigned[T number](dst []T, src []byte, size int) {
	switch size {
	case 1:
		for i, v := range src {
			dst[i] = T(int8(v))
		}
	case 2:
		for i := range dst {
			dst[i] = T(int16(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case 4:
		for i := range dst {
			dst[i] = T(int32(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case 8:
		for i := range dst {
			dst[i] = T(int64(binary.LittleEndian.Uint64(src[8*i:])))
		}
	}
}

func convertUnsigned[T number](dst []T, src []byte, size int) {
	switch size {
	case 1:
		for i, v := range src {
			dst[i] = T(v)
		}
	case 2:
		for i := range dst {
			dst[i] = T(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = T(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case 8:
		for i := range dst {
			dst[i] = T(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}
}

func convertFloat[T number](dst []T, src []byte, t Type) {
	switch {
	case t.Kind == 'e':
		for i := range dst {
			bits := uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16
			dst[i] = fromFloat[T](float64(math.Float32frombits(bits)))
		}
	case t.Size == 2:
		for i := range dst {
			dst[i] = fromFloat[T](half.Float64(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case t.Size == 4:
		for i := range dst {
			v := math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
			dst[i] = fromFloat[T](float64(v))
		}
	default:
		for i := range dst {
			v := math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
			dst[i] = fromFloat[T](v)
		}
	}
}

// fromFloat converts a float. Conversion of a value out of range differs between processors in Go,
// and must not.
func fromFloat[T number](v float64) T {
	var zero T
	if _, ok := any(zero).(int64); ok && !(v >= -1<<63 && v < 1<<63) {
		v = -1 << 63
	}
	return T(v)
}
