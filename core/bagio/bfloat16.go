package bagio

import "encoding/binary"

// bfloat16 is the upper half of a float32. Arrays are converted to float32 before they are used.
var bfloat16 = dtype{kind: 'B', size: 2}

// withoutBfloat16 returns an array of bfloat16 as float32, without rounding, and others unchanged.
func (a *Array) withoutBfloat16() *Array {
	if a.dtype.kind != bfloat16.kind {
		return a
	}
	data := make([]byte, 2*len(a.data))
	order := a.dtype.order()
	for i := range len(a.data) / 2 {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(order.Uint16(a.data[2*i:]))<<16)
	}
	return &Array{Shape: a.Shape, dtype: dtype{kind: 'f', size: 4}, data: data, file: a.file,
		start: -1}
}
