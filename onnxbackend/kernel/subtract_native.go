//go:build amd64 || arm64

package kernel

// Columns of the tiles in assembly.
const (
	subtractNarrow = 8
	subtractWide   = 32
)

func subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int) {
	whole := 0
	if current != portable {
		whole = n / subtractNarrow * subtractNarrow
		subtractTiles(c, ldc, a, row, column, b, ldb, m, whole, k)
	}
	if whole < n {
		subtractPortable(c[whole:], ldc, a, row, column, b[whole:], ldb, m, n-whole, k)
	}
}

// subtractTiles is Subtract for n a multiple of subtractNarrow.
func subtractTiles(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	const rows = 4
	i := m / rows * rows
	for j := 0; j < n; j += subtractNarrow {
		for r := 0; r < i; r += rows {
			subtract4x8(&c[r*ldc+j], ldc, &a[r*row], row, column, &b[j], ldb, k)
		}
	}
	for ; i < m; i++ {
		j := 0
		for ; j+subtractWide <= n; j += subtractWide {
			subtract1x32(&c[i*ldc+j], ldc, &a[i*row], row, column, &b[j], ldb, k)
		}
		for ; j < n; j += subtractNarrow {
			subtract1x8(&c[i*ldc+j], ldc, &a[i*row], row, column, &b[j], ldb, k)
		}
	}
}
