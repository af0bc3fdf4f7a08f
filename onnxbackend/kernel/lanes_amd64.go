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

// quad is how many pictures, and how many of their values, change places at a time: 0.15 to 0.3 ns
// a value instead of 0.65.
const quad = 4

func convLanes(dst []float32, mapStride int, src []float32, n int, c *ConvRow) {
	width, most, k := LaneWidth(), current.laneMaps(), len(c.From)
	if current == portable || k == 0 {
		convLanesPortable(dst, mapStride, src, n, c, width, most)
		return
	}
	for m := 0; m < c.Maps; {
		t := convTile{mapStride: mapStride, from: &c.From[0], k: k, rows: tileMaps(c.Maps-m, most),
			bias: from(c.Bias, m), relu: c.Relu}
		t.weights = c.Weights[m*k : (m+t.rows)*k]
		at := dst[m*mapStride:]
		if n > 1 {
			t.pairs(at, src, n/2, c.Step, width)
		}
		// the last position with the one before it, which comes out as it did, or with itself
		if n%2 > 0 {
			step, next, x := c.Step, width, n-2
			if n == 1 {
				step, next, x = 0, 0, 0
			}
			t.pairs(at[x*width:], src[x*c.Step:], 1, step, next)
		}
		m += t.rows
	}
}

// A convTile is a tile of maps.
type convTile struct {
	mapStride, k, rows int
	from               *int32
	weights, bias      []float32
	relu               bool
}

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

func maxLanes(dst, src []float32, from []int32, n, step int) {
	switch current {
	case avx512:
		maxRowAVX512(&dst[0], &src[0], &from[0], len(from), n, step)
	case avx2:
		maxRowAVX2(&dst[0], &src[0], &from[0], len(from), n, step)
	default:
		maxLanesPortable(dst, src, from, n, step, portableLanes)
	}
}

func toLanes(dst, src []float32, n, ld, pictures int) {
	width, l := LaneWidth(), 0
	for ; current != portable && n >= quad && l+quad <= pictures; l += quad {
		toQuadsAVX(&dst[l], &src[l*ld], n/quad, ld, width)
		if n%quad > 0 {
			toQuadsAVX(&dst[(n-quad)*width+l], &src[l*ld+n-quad], 1, ld, width)
		}
	}
	toLanesPortable(dst, src, n, ld, l, pictures, width)
}

func fromLanes(dst, src []float32, n, ld, pictures int) {
	width, l := LaneWidth(), 0
	for ; current != portable && n >= quad && l+quad <= pictures; l += quad {
		fromQuadsAVX(&dst[l*ld], &src[l], n/quad, ld, width)
		if n%quad > 0 {
			fromQuadsAVX(&dst[l*ld+n-quad], &src[(n-quad)*width+l], 1, ld, width)
		}
	}
	fromLanesPortable(dst, src, n, ld, l, pictures, width)
}
