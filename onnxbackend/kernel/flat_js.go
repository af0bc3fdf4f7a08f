//go:build wasm && bagscope_simd

package kernel

func convFlat(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	convFlatByLanes(dst, mapStride, src, n, c)
}

// depthFlat computes whole vectors, and sets the last one back to end at the last place.
func depthFlat(dst, src []float32, n int, c *ConvRow) {
	if current == portable {
		convFlatByLanes(dst, n, src, n, c)
		return
	}
	depthVectors(dst, src, n&^3, c)
	if n&3 > 0 {
		depthVectors(dst[n-4:], src[n-4:], 4, c)
	}
}

func depthVectors(dst, src []float32, n int, c *ConvRow) {
	relu := int32(0)
	if c.Relu {
		relu = 1
	}
	simdDepthFlat(address(dst), address(src), int32(n), address(c.From), int32(len(c.From)),
		address(c.Weights), address(c.Bias), relu)
}
