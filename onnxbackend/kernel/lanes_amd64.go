package kernel

import "unsafe"

// Maps of a tile: two accumulators each, those of two neighbouring positions, as in a product's
// tile. On a processor that does 118 GFLOP/s of fused products a thread, beside Gemm of the same
// products with columns packed already (BenchmarkConvLanes, the best of twelve rounds on a busy
// machine):
//
//	pictures and maps       AVX-512  Gemm  AVX2  Gemm
//	3x27x27, 36 of 4x4          109   107   107   107
//	36x12x12, 48 of 3x3         115    97   111   106
//	1x28x28, 20 of 5x5          105    98   104    93
//	20x12x12, 50 of 5x5         114   115   110   109
const (
	laneMapsAVX2   = tileRowsAVX2
	laneMapsAVX512 = tileRowsAVX512
)

// pairs computes pairs of positions, step floats apart in src and next in dst.
func (t *convTile) pairs(dst, src []float32, pairs, step, next int) {
	bias := unsafe.SliceData(t.bias)
	if current == avx512 {
		convTileAVX512(&dst[0], t.mapStride, next, &src[0], step, pairs, t.from, t.k, &t.weights[0],
			t.rows, bias, t.relu)
		return
	}
	convTileAVX2(&dst[0], t.mapStride, next, &src[0], step, pairs, t.from, t.k, &t.weights[0],
		t.rows, bias, t.relu)
}

// maxRow computes n maxima of a vector over taps places.
func maxRow(dst, src *float32, from *int32, taps, n, step int) {
	if current == avx512 {
		maxRowAVX512(dst, src, from, taps, n, step)
		return
	}
	maxRowAVX2(dst, src, from, taps, n, step)
}

func toQuads(dst, src *float32, blocks, ld, width int) { toQuadsAVX(dst, src, blocks, ld, width) }

func fromQuads(dst, src *float32, blocks, ld, width int) {
	fromQuadsAVX(dst, src, blocks, ld, width)
}
