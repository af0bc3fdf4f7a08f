//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func addWord32(
	sums []float32, words []uint64, members int, rows []float32, stride int, table []float32,
) {
	addWordPortable(sums, words, members, rows, stride, table)
}

func addWord64(
	sums []float64, words []uint64, members int, rows []float64, stride int, table []float64,
) {
	addWordPortable(sums, words, members, rows, stride, table)
}

// pairCost is how many lines of a table are added in the time of one pair of WeightedGram.
func pairCost() float64 { return 0.3 }
