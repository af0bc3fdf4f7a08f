//go:build !amd64

package kernel

func elementwise(fn function, dst, src []float32) { elementwisePortable(fn, dst, src) }
