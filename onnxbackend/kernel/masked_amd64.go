package kernel

// sparseGain is how many lines of a table are added in the time of one line in Go.
const sparseGain = 25

func addWord32(sums []float32, words []uint64, rows []float32, stride int, table []float32) {
	switch {
	case current == portable:
		addWordPortable(sums, words, rows, stride, table)
	case sparse(words, sparseGain):
		addMembers(sums, words, rows, stride)
	case current == avx512:
		tables32AVX512(&table[0], &rows[0], stride)
		lookups32AVX512(&sums[0], &words[0], len(words), &table[0])
	default:
		tables32AVX2(&table[0], &rows[0], stride)
		lookups32AVX2(&sums[0], &words[0], len(words), &table[0])
	}
}

func addWord64(sums []float64, words []uint64, rows []float64, stride int, table []float64) {
	switch {
	case current == portable:
		addWordPortable(sums, words, rows, stride, table)
	case sparse(words, sparseGain):
		addMembers(sums, words, rows, stride)
	case current == avx512:
		tables64AVX512(&table[0], &rows[0], stride)
		lookups64AVX512(&sums[0], &words[0], len(words), &table[0])
	default:
		tables64AVX2(&table[0], &rows[0], stride)
		lookups64AVX2(&sums[0], &words[0], len(words), &table[0])
	}
}

// pairCost is how many lines of a table are added in the time of one pair of WeightedGram.
func pairCost() float64 {
	if current == portable {
		return 0.15
	}
	return 1
}
