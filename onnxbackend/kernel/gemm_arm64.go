package kernel

import "unsafe"

// The register tile: 8 rows x 2 accumulators, 2 vectors of B and 8 of A fill 26 of the 32
// registers. The loop has 79 instructions for 256 products.
const (
	tileRowsNEON = 8
	maxPanel     = 8
	maxTile      = tileRowsNEON * maxPanel
)

// tileRows is the most rows of a tile.
func tileRows() int { return tileRowsNEON }

// tile computes rows x (vectors of the level) of C.
func tile(
	c *float32, ldc int, a *float32, lda int, b *float32, k, rows, vectors int, biases,
	rowBiases []float32, mode int,
) {
	tileNEON(c, ldc, a, lda, b, k, rows, vectors, unsafe.SliceData(biases),
		unsafe.SliceData(rowBiases), mode)
}

// columns computes w columns of a·B from column j on.
func columns(c, a, b []float32, ld, j, w int) {
	const wide = 16
	if w == wide {
		gemv4NEON(&c[j], &a[0], &b[j], ld, len(a))
	} else {
		gemv1NEON(&c[j], &a[0], &b[j], ld, len(a))
	}
}

// column computes one column of a·B.
func column(c, a, b *float32, ld, k int) { gemvScalarNEON(c, a, b, ld, k) }
