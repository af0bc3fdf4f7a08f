//go:build wasm && bagscope_simd

package kernel

// neighbourColumns is the number that the module's columns are a multiple of.
const neighbourColumns = 4

// neighbours leaves float64 results to Go: they are scores, which have few columns.
func neighbours[T float](dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums) {
	whole := 0
	if to, ok := any(dst).([]float32); ok && current != portable {
		whole = len(s.Sums) / neighbourColumns * neighbourColumns
		relu := int32(0)
		if s.Relu {
			relu = 1
		}
		simdNeighbours(address(to), int32(ldd), address(rows), int32(ldr), address(s.Sums), address(s.Bias), int32(whole),
			address(s.Signs), address(s.Scales), int32(len(s.Signs)), relu)
	}
	if whole < len(s.Sums) {
		neighboursPortable(dst, ldd, rows, ldr, s, whole)
	}
}
