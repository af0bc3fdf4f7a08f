//go:build wasm && bagscope_simd

package kernel

// rowColumns is the number that the module's columns are a multiple of.
const rowColumns = 4

func addRows(sums []float64, rows []float32, ld int, members []uint64) {
	whole := 0
	if current != portable {
		whole = len(sums) / rowColumns * rowColumns
		simdAddRows(address(sums), int32(whole), address(rows), int32(ld), address(members),
			int32(2*len(members)))
	}
	if whole < len(sums) {
		addRowsPortable(sums, rows, ld, members, whole)
	}
}
