//go:build !(js && bagscope_simd)

package kernel

func neighbours[T float](dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums) {
	neighboursPortable(dst, ldd, rows, ldr, s, 0)
}
