//go:build !amd64 && !(js && bagscope_simd)

package kernel

func shift(dst, src []float32, ld int, rows []int, bias []float32, act Activation) {
	shiftPortable(dst, src, ld, rows, bias, act, 0)
}
