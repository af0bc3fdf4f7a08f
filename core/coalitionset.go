package core

import "slices"

// coalitionSet numbers distinct coalitions in the order in which they are first seen.
type coalitionSet struct {
	rows  *Coalitions
	index map[[2]uint64][]int // digest of the bits to rows that have it
}

func newCoalitionSet(k int) *coalitionSet {
	return &coalitionSet{rows: NewCoalitions(k, 0), index: map[[2]uint64][]int{}}
}

// enter returns the number of a coalition and whether it is new.
func (s *coalitionSet) enter(row []uint64) (at int, fresh bool) {
	h := digest(row)
	for _, r := range s.index[h] {
		if slices.Equal(s.rows.Row(r), row) {
			return r, false
		}
	}
	at = s.rows.Len()
	s.rows.Append(row)
	s.index[h] = append(s.index[h], at)
	return at, true
}

// truncate forgets the coalitions numbered n and above.
func (s *coalitionSet) truncate(n int) {
	for r := n; r < s.rows.Len(); r++ {
		h := digest(s.rows.Row(r))
		s.index[h] = slices.DeleteFunc(s.index[h], func(x int) bool { return x >= n })
	}
	s.rows = s.rows.Slice(0, n)
}

// digest folds a row into two words. Rows that agree in it are still compared bit by bit.
func digest(row []uint64) [2]uint64 {
	a, b := uint64(0x9e3779b97f4a7c15), uint64(0xc2b2ae3d27d4eb4f)
	for _, w := range row {
		a = (a ^ w) * 0xff51afd7ed558ccd
		a ^= a >> 32
		b = (b + w) * 0xc4ceb9fe1a85ec53
		b ^= b >> 29
	}
	return [2]uint64{a, b}
}
