//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func gemm(c []float32, ldc int, a []float32, lda int, b []float32, m, n, k int, ep Epilogue) {
	gemmPortable(c, ldc, a, lda, b, m, n, k, ep)
}

func gemv(c, a, b []float32, ld int) { gemvPortable(c, a, b, ld) }
