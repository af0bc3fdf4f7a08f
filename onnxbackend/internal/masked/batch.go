package masked

import "github.com/bagscope/bagscope/core"

// A Batch is the coalitions of a run: those of Z or, where that is nil, one of each of Count instances from From on:
// {x_i}, or with Removed all but x_i. Masks of all instances would take k²/8 bytes, and their sums k times
// the additions.
type Batch struct {
	Z           *core.Coalitions
	Removed     bool
	K           int // instances of the bag
	From, Count int
}

// Len returns the number of coalitions.
func (b *Batch) Len() int {
	if b.Z != nil {
		return b.Z.Len()
	}
	return b.Count
}

// Size returns the number of members of coalition j.
func (b *Batch) Size(j int) int {
	switch {
	case b.Z != nil:
		return b.Z.Size(j)
	case b.Removed:
		return b.K - 1
	}
	return 1
}

// Members appends the members of coalition j to dst in ascending order.
func (b *Batch) Members(dst []int, j int) []int {
	switch {
	case b.Z != nil:
		return b.Z.Members(dst, j)
	case !b.Removed:
		return append(dst, b.From+j)
	}
	for i := range b.K {
		if i != b.From+j {
			dst = append(dst, i)
		}
	}
	return dst
}

// Has reports whether instance i is in coalition j.
func (b *Batch) Has(j, i int) bool {
	if b.Z != nil {
		return b.Z.Has(j, i)
	}
	return (i == b.From+j) != b.Removed
}
