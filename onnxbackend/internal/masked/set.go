package masked

import "github.com/bagscope/bagscope/core"

// A Set is the coalitions of a run: those of Z or, if Z is nil, Count neighbours of Base from
// number From on. Neighbour i of a coalition differs from it in instance i, which is added or
// removed; neighbour k of a bag of k instances is the coalition itself. Masks of all neighbours
// would need k²/8 bytes, and their sums k times the additions.
type Set struct {
	Z           *core.Coalitions
	Base        *Base
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
	if s.Z != nil {
		return s.Z.Size(j)
	}
	switch i := s.From + j; {
	case i == s.Base.k:
		return s.Base.size
	case s.Base.Has(i):
		return s.Base.size - 1
	}
	return s.Base.size + 1
}

// Members appends the members of coalition j to dst in ascending order.
func (s *Set) Members(dst []int, j int) []int {
	if s.Z != nil {
		return s.Z.Members(dst, j)
	}
	for i := range s.Base.k {
		if s.Has(j, i) {
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
	return s.Base.Has(i) != (i == s.From+j)
}

// Marked returns the set of marked coalitions from lo up to hi and their numbers in s. At least one
// must be marked. For neighbours, the set includes all from the first marked one to the last.
func (s *Set) Marked(marked []bool, lo, hi int) (set Set, numbers []int) {
	for j := lo; j < hi; j++ {
		if marked[j] {
			numbers = append(numbers, j)
		}
	}
	if s.Z == nil {
		first, last := numbers[0], numbers[len(numbers)-1]
		numbers = numbers[:0]
		for j := first; j <= last; j++ {
			numbers = append(numbers, j)
		}
		return Set{Base: s.Base, From: s.From + first, Count: len(numbers)}, numbers
	}
	set.Z = core.NewCoalitions(s.Z.Instances(), len(numbers))
	for _, j := range numbers {
		set.Z.Append(s.Z.Row(j))
	}
	return set, numbers
}
