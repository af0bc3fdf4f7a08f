package kernel

import "math/bits"

// AddRows adds rows[i*ld + c] to sums[c] for all columns c and for each bit i that is set in
// members, i ascending, at every level: the sums of a coalition over a table of float32 in float64.
func AddRows(sums []float64, rows []float32, ld int, members []uint64) {
	for len(members) > 0 && members[len(members)-1] == 0 {
		members = members[:len(members)-1]
	}
	if len(members) == 0 || len(sums) == 0 {
		return
	}
	last := 64*len(members) - 1 - bits.LeadingZeros64(members[len(members)-1])
	addRows(sums, rows[:last*ld+len(sums)], ld, members)
}

// addRowsPortable is AddRows for the columns from first on.
func addRowsPortable(sums []float64, rows []float32, ld int, members []uint64, first int) {
	sums = sums[first:]
	for w, word := range members {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			for c, v := range rows[i*ld+first:][:len(sums)] {
				sums[c] += float64(v)
			}
		}
	}
}
