package core

import (
	"math/rand/v2"
	"slices"
)

const (
	// mostEnumerated is the largest bag whose coalitions are all evaluated.
	mostEnumerated = 10
	// fewestContexts is the number of contexts of a curve at the first test of separation.
	fewestContexts = 64
)

// An inclusion holds the probability that a context contains the instance of each rank, and the
// instance at each rank. Contexts are drawn for ranks, so that the order of a bag's instances has
// no effect.
type inclusion struct {
	byRank []float64 // (rank)
	order  []int     // (rank) instance
}

// probabilities returns the probability of each instance.
func (p inclusion) probabilities() []float64 {
	out := make([]float64, len(p.order))
	for r, i := range p.order {
		out[i] = p.byRank[r]
	}
	return out
}

// uniform returns an inclusion in which all instances have one probability.
func uniform(p float64, order []int) inclusion {
	return inclusion{slices.Repeat([]float64{p}, len(order)), order}
}

// A contextSource draws contexts.
type contextSource struct {
	inclusion
	fill func(row []uint64, rng *rand.Rand) // sets the bits of the drawn ranks
}

// newContextSource returns a source with the given inclusion probabilities.
func newContextSource(p inclusion) *contextSource {
	return &contextSource{p, bernoulliOf(p.byRank)}
}

// draw writes a context to row. It is safe for concurrent use.
func (s *contextSource) draw(row []uint64, rng *rand.Rand) {
	byRank := make([]uint64, len(row))
	s.fill(byRank, rng)
	clear(row)
	permuteBits(row, byRank, s.order)
}
