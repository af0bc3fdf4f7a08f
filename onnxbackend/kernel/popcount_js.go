//go:build wasm && bagscope_simd

package kernel

func andCounts(dst []float64, a, b []uint64) {
	if current == portable {
		andCountsPortable(dst, a, b)
		return
	}
	simdAndCounts(address(dst), address(a), address(b), int32(len(a)), int32(len(dst)))
}
