// Package rows has the operations on rows of coalitions: bit i of a row says whether instance i is
// a member.
package rows

import "math/bits"

// Overlap returns the number of bits that are set in both rows.
func Overlap(a, b []uint64) int {
	n := 0
	for i, w := range a {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}

// Fill sets the k lowest bits of row, the full coalition.
func Fill(row []uint64, k int) {
	for w := range row {
		row[w] = ^uint64(0)
	}
	if rest := k % 64; rest != 0 {
		row[len(row)-1] = 1<<rest - 1
	}
}

// Permute sets bit order[r] of dst for each bit r of row. The other bits of dst do not change.
func Permute(dst, row []uint64, order []int) {
	for w, word := range row {
		for ; word != 0; word &= word - 1 {
			i := order[w*64+bits.TrailingZeros64(word)]
			dst[i/64] |= 1 << (i % 64)
		}
	}
}

// Has reports whether instance i is in coalition z.
func Has(z []uint64, i int) bool { return z[i/64]>>(i%64)&1 != 0 }

// Toggle adds instance i to coalition z, or removes it.
func Toggle(z []uint64, i int) { z[i/64] ^= 1 << (i % 64) }

// Complement replaces a coalition of k instances by the instances that it lacks.
func Complement(row []uint64, k int) {
	for w := range row {
		row[w] = ^row[w]
	}
	if rest := k % 64; rest != 0 {
		row[len(row)-1] &= 1<<rest - 1
	}
}

// BitsPerCheck is the number of bits of coalitions that a product processes between two checks of
// the context. Each takes up to 4 ns of plain Go in a browser.
const BitsPerCheck = 1 << 23

// PerCheck returns the number of coalitions of k instances to draw between two checks of the
// context. A draw takes microseconds; in a browser up to 6 ns for each instance.
func PerCheck(k int) int { return min(256, max(1, BitsPerCheck/2/max(k, 1))) }
