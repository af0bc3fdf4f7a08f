//go:build wasm && bagscope_simd

package kernel

// subtractColumns is what the module takes columns by.
const subtractColumns = 4

func subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int) {
	whole := 0
	if current != portable {
		whole = n / subtractColumns * subtractColumns
		simdSubtract(address(c), int32(ldc), address(a), int32(row), int32(column), address(b),
			int32(ldb), int32(m), int32(whole), int32(k))
	}
	if whole < n {
		subtractPortable(c[whole:], ldc, a, row, column, b[whole:], ldb, m, n-whole, k)
	}
}
