//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func elementwise(fn function, dst, src []float32) { elementwisePortable(fn, dst, src) }
