package kernel

import "unsafe"

// depthVectors computes whole vectors of places.
func depthVectors(dst, src []float32, vectors int, c *ConvRow) {
	bias := unsafe.SliceData(c.Bias)
	if current == avx512 {
		depthRowAVX512(&dst[0], &src[0], vectors, &c.From[0], len(c.From), &c.Weights[0], bias,
			c.Relu)
		return
	}
	depthRowAVX2(&dst[0], &src[0], vectors, &c.From[0], len(c.From), &c.Weights[0], bias, c.Relu)
}
