package kernel

// vectorGain is tableGain for tables in vectors: 0.6 ns a line.
const vectorGain = 20

func addWord32(
	sums []float32, words []uint64, members int, rows []float32, stride int, table []float32,
) {
	switch {
	case current == portable:
		addWordPortable(sums, words, members, rows, stride, table)
	case sparse(members, len(words), vectorGain):
		addMembers(sums, words, rows, stride)
	case current == avx512:
		tables32AVX512(&table[0], &rows[0], stride)
		lookups32AVX512(&sums[0], &words[0], len(words), &table[0])
	default:
		tables32AVX2(&table[0], &rows[0], stride)
		lookups32AVX2(&sums[0], &words[0], len(words), &table[0])
	}
}

func addWord64(
	sums []float64, words []uint64, members int, rows []float64, stride int, table []float64,
) {
	switch {
	case current == portable:
		addWordPortable(sums, words, members, rows, stride, table)
	case sparse(members, len(words), vectorGain):
		addMembers(sums, words, rows, stride)
	case current == avx512:
		tables64AVX512(&table[0], &rows[0], stride)
		lookups64AVX512(&sums[0], &words[0], len(words), &table[0])
	default:
		tables64AVX2(&table[0], &rows[0], stride)
		lookups64AVX2(&sums[0], &words[0], len(words), &table[0])
	}
}

// pairCost is how many lines of a table are added in the time of one pair of WeightedGram: 1.1 ns.
func pairCost() float64 {
	if current == portable {
		return 0.3
	}
	return 1.5
}
