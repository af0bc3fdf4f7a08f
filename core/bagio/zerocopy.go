package bagio

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// view returns n float32 entries, starting at entry from, that share the memory of the file. It
// returns nil if they need conversion: another type, another byte order, or an unaligned address.
func (a *Array) view(from, n int) []float32 {
	// Files are little-endian, so that a view on a big-endian machine would swap the bytes.
	native := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if a.dtype != (dtype{kind: 'f', size: 4}) || n == 0 || !native {
		return nil
	}
	b := a.data[4*from : 4*(from+n)]
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%4 != 0 { // the header of a file may have any length
		return nil
	}
	return unsafe.Slice((*float32)(p), n)
}

// narrowToFloat32 converts numbers of eight bytes to float32 in place, in the first half of the
// array's memory, if the set has the option ZeroCopy. A bag of float64 then takes no more memory
// than its file. Afterwards the array has no offsets in the file.
func (s *Set) narrowToFloat32() error {
	a := s.array
	if !s.zeroCopy || a.dtype.size != 8 {
		return nil
	}
	get := a.dtype.float()
	n := len(a.data) / 8
	for i := range n {
		wide := a.data[8*i : 8*i+8]
		v := float32(get(wide))
		if v-v != 0 {
			return s.finite(i)
		}
		// Entry i of the result ends before entry i+1 of the source, which is still to be read.
		binary.LittleEndian.PutUint32(a.data[4*i:], math.Float32bits(v))
	}
	a.dtype, a.data, a.start = dtype{kind: 'f', size: 4}, a.data[:4*n], -1
	return nil
}
