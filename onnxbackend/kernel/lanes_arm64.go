package kernel

import "unsafe"

// laneMapsNEON is the most maps of a tile, with two accumulators each.
const laneMapsNEON = 12

// pairs computes pairs of positions, step floats apart in src and next in dst.
func (t *convTile) pairs(dst, src []float32, pairs, step, next int) {
	convTileNEON(&dst[0], t.mapStride, next, &src[0], step, pairs, t.from, t.k, &t.weights[0],
		t.rows, unsafe.SliceData(t.bias), t.relu)
}

// maxRow computes n maxima of a vector over taps places.
func maxRow(dst, src *float32, from *int32, taps, n, step int) {
	maxRowNEON(dst, src, from, taps, n, step)
}

func toQuads(dst, src *float32, blocks, ld, width int) { toQuadsNEON(dst, src, blocks, ld, width) }

func fromQuads(dst, src *float32, blocks, ld, width int) {
	fromQuadsNEON(dst, src, blocks, ld, width)
}
