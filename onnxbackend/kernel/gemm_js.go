//go:build wasm && bagscope_simd

package kernel

func gemm(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int, ep Epilogue) {
	if current == portable {
		gemmPortable(c, ldc, a, lda, b, m, n, k, ep)
		return
	}
	relu := int32(0)
	if ep.Act == ActRelu {
		relu = 1
	}
	simdGemm(address(c), int32(ldc), address(a), int32(lda), address(b), int32(m), int32(n),
		int32(k), address(ep.Bias), address(ep.RowBias), relu)
}

func gemv(c, a, b []float32, ld int) {
	if current == portable {
		gemvPortable(c, a, b, ld)
		return
	}
	simdGemv(address(c), address(a), address(b), int32(len(c)), int32(len(a)), int32(ld))
}
