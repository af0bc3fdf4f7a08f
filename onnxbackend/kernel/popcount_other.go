//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func andCounts(dst []float64, a, b []uint64) { andCountsPortable(dst, a, b) }
