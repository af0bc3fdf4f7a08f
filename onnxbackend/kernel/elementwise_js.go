//go:build wasm && bagscope_simd

package kernel

func elementwise(fn function, dst, src []float32) {
	if current == portable {
		elementwisePortable(fn, dst, src)
		return
	}
	to, from, n := address(dst), address(src), int32(len(src))
	switch fn {
	case fnExp:
		simdExp(to, from, n)
	case fnTanh:
		simdTanh(to, from, n)
	case fnSigmoid:
		simdSigmoid(to, from, n)
	case fnErf:
		simdErf(to, from, n)
	case fnSwish:
		simdSwish(to, from, n)
	case fnGelu:
		simdGelu(to, from, n)
	case fnHardSwish:
		simdHardSwish(to, from, n)
	}
}
