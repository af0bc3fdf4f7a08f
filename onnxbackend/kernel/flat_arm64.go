package kernel

import "unsafe"

// depthVectors computes whole vectors of places.
func depthVectors(dst, src []float32, vectors int, c *ConvRow) {
	depthRowNEON(&dst[0], &src[0], vectors, &c.From[0], len(c.From), &c.Weights[0],
		unsafe.SliceData(c.Bias), c.Relu)
}
