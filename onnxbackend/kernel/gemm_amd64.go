package kernel

import "unsafe"

// Shapes of the register tiles: rows x 2 accumulators, 2 vectors of B and a broadcast value of A
// fill the 16 registers of AVX2 and 27 of the 32 of AVX-512. On a processor that does 118 GFLOP/s
// of fused products a thread (BenchmarkTile), 1000x256x512 runs at 113 with either, 1920x56x500 at
// 99 to 108, 264x64x1200 at 112, 30x64x800 at 114; scalar code at 5 to 8, gonum's Sgemm at 8 to 14.
const (
	tileRowsAVX2   = 6
	tileRowsAVX512 = 12
	maxPanel       = 32
	maxTile        = tileRowsAVX512 * maxPanel
)

// tileRows is the most rows of a tile.
func tileRows() int {
	if current == avx512 {
		return tileRowsAVX512
	}
	return tileRowsAVX2
}

// tile computes rows x (vectors of the level) of C.
func tile(
	c *float32, ldc int, a *float32, lda int, b *float32, k, rows, vectors int, biases,
	rowBiases []float32, mode int,
) {
	bias, rowBias := unsafe.SliceData(biases), unsafe.SliceData(rowBiases)
	if current == avx512 {
		tileAVX512(c, ldc, a, lda, b, k, rows, vectors, bias, rowBias, mode)
		return
	}
	tileAVX2(c, ldc, a, lda, b, k, rows, vectors, bias, rowBias, mode)
}

// columns computes w columns of a·B from column j on.
func columns(c, a, b []float32, ld, j, w int) {
	out, x, y, k := &c[j], &a[0], &b[j], len(a)
	switch {
	case w == 64:
		gemv4AVX512(out, x, y, ld, k)
	case w == 32:
		gemv4AVX2(out, x, y, ld, k)
	case w == 16:
		gemv1AVX512(out, x, y, ld, k)
	default:
		gemv1AVX2(out, x, y, ld, k)
	}
}

// column computes one column of a·B.
func column(c, a, b *float32, ld, k int) { gemvFMA(c, a, b, ld, k) }
