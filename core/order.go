package core

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// Order returns the indices of scores from the highest score to the lowest. Equal scores are in
// random order. They are not ordered by index, because the index may carry information: some data
// sets put key instances last. NaN is lowest.
func Order(scores []float64, rng *rand.Rand) []int {
	return OrderTies(scores, rng.Perm(len(scores)))
}

// OrderTies is Order with equal scores in the order of ties, a permutation of all indices.
//
// It uses a radix sort, because a stable comparison sort of 100,000 scores blocks a browser's
// thread for 0.14 s, during which no cancellation arrives.
func OrderTies(scores []float64, ties []int) []int {
	const digit = 11 // bits
	order, other := slices.Clone(ties), make([]int, len(scores))
	keys := make([]uint64, len(scores))
	for i, v := range scores {
		keys[i] = descending(v)
	}
	if len(scores) <= 128 { // a radix sort costs 2048 counters for each digit
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		return order
	}
	for shift := 0; shift < 64; shift += digit {
		var places [1 << digit]int
		for _, key := range keys {
			places[key>>shift&(1<<digit-1)]++
		}
		at := 0
		for d, n := range places {
			places[d], at = at, at+n
		}
		for _, i := range order {
			d := keys[i] >> shift & (1<<digit - 1)
			other[places[d]] = i
			places[d]++
		}
		order, other = other, order
	}
	return order
}

// descending returns a sort key: higher scores have lower keys, NaN has the highest key, and 0 and
// -0 have equal keys.
func descending(v float64) uint64 {
	bits := math.Float64bits(v)
	switch {
	case v != v:
		return math.MaxUint64
	case v == 0:
		return 1<<63 - 1
	case bits>>63 != 0:
		return bits
	}
	return ^(bits | 1<<63)
}

// ByMagnitude returns the magnitudes of scores and the instances in their order, the largest first.
func ByMagnitude(scores []float64) (magnitude []float64, order []int) {
	magnitude = make([]float64, len(scores))
	for i, v := range scores {
		magnitude[i] = math.Abs(v)
	}
	return magnitude, OrderTies(magnitude, linear.Indices(len(scores)))
}
