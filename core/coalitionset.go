package core

import "slices"

// CoalitionSet numbers distinct coalitions in the order in which they are first seen.
type CoalitionSet struct {
	Rows *Coalitions
	last map[[2]uint64]int32 // digest of the bits to the last row that has it
	next []int32             // (row) the row before it that has the same digest, -1 for none
}

// mapHint bounds the initial capacity of the map.
const mapHint = 1 << 12

// NewCoalitionSet returns an empty set with room for the bits of capacity coalitions.
func NewCoalitionSet(k, capacity int) *CoalitionSet {
	return &CoalitionSet{
		Rows: NewCoalitions(k, capacity),
		last: make(map[[2]uint64]int32, min(capacity, mapHint)),
		next: make([]int32, 0, capacity),
	}
}

// Add adds a coalition if it is new. It returns its number and whether it was new.
func (s *CoalitionSet) Add(row []uint64) (at int, fresh bool) {
	h := digest(row)
	before, met := s.last[h]
	if !met {
		before = -1
	}
	for r := before; r >= 0; r = s.next[r] {
		if slices.Equal(s.Rows.Row(int(r)), row) {
			return int(r), false
		}
	}
	at = s.Rows.Len()
	s.Rows.Append(row)
	s.next = append(s.next, before)
	s.last[h] = int32(at)
	return at, true
}

// truncate removes the coalitions numbered n and above.
func (s *CoalitionSet) truncate(n int) {
	for r := s.Rows.Len() - 1; r >= n; r-- {
		h := digest(s.Rows.Row(r))
		if before := s.next[r]; before >= 0 {
			s.last[h] = before
		} else {
			delete(s.last, h)
		}
	}
	s.next = s.next[:n]
	s.Rows = s.Rows.Slice(0, n)
}

// digest returns a 128-bit hash of a row. Rows with equal digests are still compared bit by bit.
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
