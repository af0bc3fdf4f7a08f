package kernel

import "math/bits"

// float is what lines are made of.
type float interface{ float32 | float64 }

// tableGain is how many lines of a table are added in the time of one line of a row that was found
// by its bit: 3.9 ns against 12.8 ns.
const tableGain = 3

// addWordPortable adds to line j of sums the rows whose bits words[j] has: by tables or, where few
// bits are set, row by row. Both add in the same order. rows are 64 lines, stride elements apart;
// members is about how many bits words have in all.
func addWordPortable[T float](
	sums []T, words []uint64, members int, rows []T, stride int, table []T,
) {
	if sparse(members, len(words), tableGain) {
		addMembers(sums, words, rows, stride)
		return
	}
	buildTables(table, rows, stride)
	lookUp(sums, words, table)
}

// sparse says whether n words with so many members in all cost less row by row than by tables,
// where gain lines of a table are added in the time of one line of a row. Tables pass over words
// without a member.
func sparse(members, n, gain int) bool { return members*gain < min(members, n)*groups+tableLen }

// buildTables sums the subsets of each 4 rows: those with row r are those of the rows before, each
// with r.
func buildTables[T float](table, rows []T, stride int) {
	lanes := len(table) / tableLen
	for g := range groups {
		group := table[g*subsets*lanes : (g+1)*subsets*lanes]
		clear(group[:lanes])
		for r := range groupRows {
			row := rows[(g*groupRows+r)*stride:][:lanes]
			half := len(row) << r
			for from := 0; from < half; from += lanes {
				to := group[half+from:][:lanes]
				for l, v := range group[from:][:lanes] {
					to[l] = v + row[l]
				}
			}
		}
	}
}

// lookUp adds to each line what its word chooses of the tables: groups 0 to 7 in one chain, 8 to 15
// in another, so that two additions are under way at once.
func lookUp[T float](sums []T, words []uint64, table []T) {
	lanes := len(table) / tableLen
	for j, w := range words {
		if w == 0 {
			continue
		}
		var low, high [lanes32]T
		for g := range groups / 2 {
			a := table[(g*subsets+int(w>>(4*g)&15))*lanes:][:lanes]
			b := table[((g+groups/2)*subsets+int(w>>(4*g+32)&15))*lanes:][:lanes]
			for l := range a {
				low[l] += a[l]
				high[l] += b[l]
			}
		}
		addTo(sums[j*lanes:][:lanes], &low, &high)
	}
}

// addMembers is buildTables and lookUp without tables.
func addMembers[T float](sums []T, words []uint64, rows []T, stride int) {
	lanes := len(sums) / len(words)
	for j, w := range words {
		if w == 0 {
			continue
		}
		var chains [2][lanes32]T
		for w != 0 {
			g := bits.TrailingZeros64(w) / groupRows
			var sum [lanes32]T
			for ; w != 0 && bits.TrailingZeros64(w)/groupRows == g; w &= w - 1 {
				for l, v := range rows[bits.TrailingZeros64(w)*stride:][:lanes] {
					sum[l] += v
				}
			}
			chain := &chains[g/(groups/2)]
			for l := range lanes {
				chain[l] += sum[l]
			}
		}
		addTo(sums[j*lanes:][:lanes], &chains[0], &chains[1])
	}
}

func addTo[T float](sum []T, low, high *[lanes32]T) {
	for l := range sum {
		sum[l] += low[l] + high[l]
	}
}
