package core

import "math/rand/v2"

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
