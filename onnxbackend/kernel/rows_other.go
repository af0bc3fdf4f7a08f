//go:build !(js && bagscope_simd)

package kernel

func addRows(sums []float64, rows []float32, ld int, members []uint64) {
	addRowsPortable(sums, rows, ld, members, 0)
}
