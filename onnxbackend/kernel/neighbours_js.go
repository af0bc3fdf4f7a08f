//go:build wasm && bagscope_simd

package kernel

// neighbours leaves to Go the columns beyond a multiple of four, or of two for float64, and float64
// with Relu.
func neighbours[T float](dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums) {
	whole, n := 0, int32(len(s.Signs))
	if current != portable {
		switch to := any(dst).(type) {
		case []float32:
			whole = len(s.Sums) / 4 * 4
			relu := int32(0)
			if s.Relu {
				relu = 1
			}
			simdNeighbours(address(to), int32(ldd), address(rows), int32(ldr), address(s.Sums),
				address(s.Bias), int32(whole),
				address(s.Signs), address(s.Scales), n, relu)
		case []float64:
			if s.Relu {
				break
			}
			whole = len(s.Sums) / 2 * 2
			simdNeighbours64(address(to), int32(ldd), address(rows), int32(ldr), address(s.Sums),
				address(s.Bias), int32(whole),
				address(s.Signs), address(s.Scales), n)
		}
	}
	if whole < len(s.Sums) {
		neighboursPortable(dst, ldd, rows, ldr, s, whole)
	}
}
