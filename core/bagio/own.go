package bagio

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// view returns n float32 entries from entry from on as they lie in the file, or nil where this machine has to convert
// them: their type or order of bytes is another, or they lie at an odd address.
func (a *Array) view(from, n int) []float32 {
	native := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if a.element != (element{kind: 'f', size: 4}) || n == 0 || !native {
		return nil
	}
	b := a.data[4*from : 4*(from+n)]
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%4 != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(p), n)
}

// narrow converts numbers of eight bytes to float32 where they lie, in the front half of their bytes.
func (a *Array) narrow() error {
	if a.element.size != 8 || a.element.words() {
		return nil
	}
	get := a.element.float()
	n := len(a.data) / 8
	for i := range n {
		wide := a.data[8*i : 8*i+8]
		v := float32(get(wide))
		if v-v != 0 {
			return a.nonFinite(i)
		}
		binary.LittleEndian.PutUint32(a.data[4*i:], math.Float32bits(v))
	}
	a.element, a.data, a.start = element{kind: 'f', size: 4}, a.data[:4*n], -1
	return nil
}
