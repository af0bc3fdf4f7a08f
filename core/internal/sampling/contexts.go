package sampling

import (
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core/internal/rows"
)

const (
	// MostEnumerated is the largest bag whose coalitions are all evaluated.
	MostEnumerated = 10
	// FewestContexts is the number of contexts over which what-ifs average by default.
	FewestContexts = 64
)

// An Inclusion holds the probability that a context contains the instance of each rank, and the
// instance at each rank. Contexts are drawn for ranks, so that the order of a bag's instances has
// no effect.
type Inclusion struct {
	ByRank []float64 // (rank)
	Order  []int     // (rank) instance
}

// Probabilities returns the probability of each instance.
func (p Inclusion) Probabilities() []float64 {
	out := make([]float64, len(p.Order))
	for r, i := range p.Order {
		out[i] = p.ByRank[r]
	}
	return out
}

// Uniform returns an inclusion in which all instances have one probability.
func Uniform(p float64, order []int) Inclusion {
	return Inclusion{slices.Repeat([]float64{p}, len(order)), order}
}

// A Source draws contexts.
type Source struct {
	Inclusion
	fill func(row []uint64, rng *rand.Rand) // sets the bits of the drawn ranks
}

// NewSource returns a source with the given inclusion probabilities.
func NewSource(p Inclusion) *Source {
	return &Source{p, bernoulliOf(p.ByRank)}
}

// Draw writes a context to row. It is safe for concurrent use.
func (s *Source) Draw(row []uint64, rng *rand.Rand) {
	byRank := make([]uint64, len(row))
	s.fill(byRank, rng)
	clear(row)
	rows.Permute(row, byRank, s.Order)
}
