package masked

import "github.com/bagscope/bagscope/core"

// A Set is the coalitions of a run: those of Z or, where that is nil, one of each of Count instances from From on:
// {x_i}, or with Removed all but x_i. Masks of all instances would take k²/8 bytes, and their sums k times
// the additions.
type Set struct {
	Z           *core.Coalitions
	Removed     bool
	K           int // instances of the bag
	From, Count int
}

// Len returns the number of coalitions.
func (s *Set) Len() int {
	if s.Z != nil {
		return s.Z.Len()
	}
	return s.Count
}

// Size returns the number of members of coalition j.
func (s *Set) Size(j int) int {
	switch {
	case s.Z != nil:
		return s.Z.Size(j)
	case s.Removed:
		return s.K - 1
	}
	return 1
}

// Members appends the members of coalition j to dst in ascending order.
func (s *Set) Members(dst []int, j int) []int {
	switch {
	case s.Z != nil:
		return s.Z.Members(dst, j)
	case !s.Removed:
		return append(dst, s.From+j)
	}
	for i := range s.K {
		if i != s.From+j {
			dst = append(dst, i)
		}
	}
	return dst
}

// Has reports whether instance i is in coalition j.
func (s *Set) Has(j, i int) bool {
	if s.Z != nil {
		return s.Z.Has(j, i)
	}
	return (i == s.From+j) != s.Removed
}
