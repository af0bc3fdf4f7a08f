//go:build wasm && bagscope_simd

package kernel

// shiftColumns is the number that the module's columns are a multiple of.
const shiftColumns = 4

func shift(dst, src []float32, ld int, rows []int, bias []float32, act Activation) {
	if n := len(bias); current != portable && n%shiftColumns == 0 {
		simdShift(address(dst), address(src), int32(ld), address(rows), int32(len(rows)),
			address(bias), int32(n), int32(act))
		return
	}
	shiftPortable(dst, src, ld, rows, bias, act, 0)
}
