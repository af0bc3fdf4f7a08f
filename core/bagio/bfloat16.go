package bagio

import (
	"encoding/binary"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// bfloat16 is the upper half of a float32. Arrays are converted to float32 before they are used.
var bfloat16 = dtype{kind: 'B', size: 2}

// withoutBfloat16 returns an array of bfloat16 as float32, without rounding, and others unchanged.
func (a *Array) withoutBfloat16() *Array {
	if a.dtype.kind != bfloat16.kind {
		return a
	}
	order := a.dtype.order()
	return a.widened(func(i int) uint16 { return order.Uint16(a.data[2*i:]) })
}

// widened returns the array as float32 with these upper halves, and zeros below.
func (a *Array) widened(upper func(i int) uint16) *Array {
	data := make([]byte, 4*(len(a.data)/a.dtype.size))
	for i := range len(data) / 4 {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(upper(i))<<16)
	}
	return &Array{Shape: a.Shape, dtype: dtype{kind: 'f', size: 4}, data: data, file: a.file,
		start: -1}
}

// Words of [Options].DType. HDF5 and NumPy have no bfloat16, so that files keep its bits in
// integers.
const (
	dtypeStored   = "stored"
	dtypeBfloat16 = "bfloat16"
)

// ofDType returns the array as Options.DType states it.
func (a *Array) ofDType(o Options) (*Array, error) {
	switch o.DType {
	case "", dtypeStored:
		return a, nil
	case dtypeBfloat16:
	default:
		return nil, &core.SettingError{Setting: "dtype", Reason: msg.Sprintf("%q is not one of "+
			"its values; use %s or %s", o.DType, dtypeStored, dtypeBfloat16)}
	}
	get, size := a.dtype.integer(), a.dtype.size
	for at := 0; at < len(a.data); at += size {
		if v, ok := get(a.data[at:]); !ok || v < math.MinInt16 || v > math.MaxUint16 {
			return nil, bad(a.file, "its value %v is not an integer of 16 bits, so that it does "+
				"not hold the bits of bfloat16; omit dtype", a.dtype.float()(a.data[at:]))
		}
	}
	if err := o.Limits.reserve(a.file, 4*int64(len(a.data)/size)); err != nil {
		return nil, err
	}
	return a.widened(func(i int) uint16 {
		v, _ := get(a.data[i*size:])
		return uint16(v)
	}), nil
}
