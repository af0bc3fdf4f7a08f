//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func subtract(c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int) {
	subtractPortable(c, ldc, a, row, column, b, ldb, m, n, k)
}
