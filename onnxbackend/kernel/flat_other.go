//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func convFlat(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	convFlatByLanes(dst, mapStride, src, n, c)
}

func depthFlat(dst, src []float32, n int, c *ConvRow) { convFlatByLanes(dst, n, src, n, c) }
