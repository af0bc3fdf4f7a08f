package kernel

// lineWords is the number of words whose bits are counted at once.
const lineWords = 8

func andCounts(dst []float64, a, b []uint64) {
	lines := len(a) / lineWords
	if lines == 0 || current == portable {
		andCountsPortable(dst, a, b)
		return
	}
	whole := lines * lineWords
	for j := range dst {
		row := b[j*len(a) : (j+1)*len(a)]
		dst[j] = float64(andCountNEON(&a[0], &row[0], lines) + andCountPortable(a[whole:],
			row[whole:]))
	}
}
