//go:build amd64 || arm64

package kernel

// vectorGain is tableGain for tables in vectors: on amd64, 0.6 ns a line.
const vectorGain = 20

func addWord32(
	sums []float32, words []uint64, members int, rows []float32, stride int, table []float32,
) {
	switch {
	case current == portable:
		addWordPortable(sums, words, members, rows, stride, table)
	case sparse(members, len(words), vectorGain):
		addMembers(sums, words, rows, stride)
	default:
		addTables32(&sums[0], &words[0], len(words), &rows[0], stride, &table[0])
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
	default:
		addTables64(&sums[0], &words[0], len(words), &rows[0], stride, &table[0])
	}
}

// pairCost is how many lines of a table are added in the time of one pair of WeightedGram: on
// amd64, 1.1 ns.
func pairCost() float64 {
	if current == portable {
		return 0.3
	}
	return 1.5
}
