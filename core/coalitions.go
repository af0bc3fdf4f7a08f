package core

import (
	"math/bits"
	"slices"

	"github.com/bagscope/bagscope/core/internal/rows"
)

// Coalitions is a batch of subsets of the k instances of a bag, with one bit for each instance. Bit
// i of a row is set if instance i is a member. Bits from k on are zero. The other instances are
// removed from the bag, not zeroed.
type Coalitions struct {
	k     int
	words int      // 64-bit words of a row: ceil(k/64)
	bits  []uint64 // (coalition, word)
}

// NewCoalitions returns an empty batch over k instances with capacity for the given number of rows.
func NewCoalitions(k, capacity int) *Coalitions {
	words := (k + 63) / 64
	return &Coalitions{k: k, words: words, bits: make([]uint64, 0, words*capacity)}
}

// Instances returns k.
func (z *Coalitions) Instances() int { return z.k }

// Len returns the number of coalitions.
func (z *Coalitions) Len() int {
	if z.words == 0 {
		return 0
	}
	return len(z.bits) / z.words
}

// Row returns the bits of coalition j, shared with the batch.
func (z *Coalitions) Row(j int) []uint64 {
	return z.bits[j*z.words : (j+1)*z.words : (j+1)*z.words]
}

// Words returns the bits of all coalitions, row after row of ceil(k/64) words, shared with the
// batch.
func (z *Coalitions) Words() []uint64 { return z.bits }

// Has reports whether instance i is in coalition j.
func (z *Coalitions) Has(j, i int) bool {
	return z.bits[j*z.words+i/64]>>(i%64)&1 == 1
}

// Size returns |z_j|, the number of instances in coalition j.
func (z *Coalitions) Size(j int) int {
	n := 0
	for _, w := range z.Row(j) {
		n += bits.OnesCount64(w)
	}
	return n
}

// Members appends the instances of coalition j to dst in ascending order.
func (z *Coalitions) Members(dst []int, j int) []int {
	for w, word := range z.Row(j) {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, w*64+bits.TrailingZeros64(word))
		}
	}
	return dst
}

// Append adds a coalition given by its bits.
func (z *Coalitions) Append(row []uint64) { z.bits = append(z.bits, row[:z.words]...) }

// AppendMembers adds the coalition of the given instances.
func (z *Coalitions) AppendMembers(instances ...int) {
	row := z.AppendEmpty()
	for _, i := range instances {
		row[i/64] |= 1 << (i % 64)
	}
}

// AppendWithout adds the coalition of all instances but the given ones.
func (z *Coalitions) AppendWithout(instances ...int) {
	row := z.AppendEmpty()
	rows.Fill(row, z.k)
	for _, i := range instances {
		row[i/64] &^= 1 << (i % 64)
	}
}

// AppendEmpty adds an empty coalition and returns its bits to be set by the caller. The slice is
// valid until the next Append.
func (z *Coalitions) AppendEmpty() []uint64 {
	n := len(z.bits)
	z.bits = slices.Grow(z.bits, z.words)[:n+z.words]
	row := z.bits[n:]
	clear(row)
	return row
}

// Slice returns rows lo up to hi, shared with the batch.
func (z *Coalitions) Slice(lo, hi int) *Coalitions {
	return &Coalitions{k: z.k, words: z.words, bits: z.bits[lo*z.words : hi*z.words : hi*z.words]}
}

// first returns the lowest instance whose bit in coalition j, flipped by flip, is set.
func (z *Coalitions) first(j int, flip uint64) int {
	for w, word := range z.Row(j) {
		if word ^= flip; word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return z.k
}

// String returns row j as k characters 0 or 1, the form in which coalition files are written.
func (z *Coalitions) String(j int) string {
	s := make([]byte, z.k)
	for i := range s {
		s[i] = '0'
		if z.Has(j, i) {
			s[i] = '1'
		}
	}
	return string(s)
}
