package core

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Order returns the indices of scores from the highest score to the lowest. Equal scores come in
// random order, never by index: in a bag whose key instance tends to stand last, an order by index would
// be knowledge. NaN counts as lowest.
func Order(scores []float64, rng *rand.Rand) []int {
	return OrderTies(scores, rng.Perm(len(scores)))
}

// OrderTies is Order where equal scores keep the order that they have in ties, a permutation of all indices.
//
// It counts digits instead of comparing: a stable sort by comparisons of 100,000 scores held a browser's thread for
// 0.14 s, and no cancellation comes through meanwhile.
func OrderTies(scores []float64, ties []int) []int {
	const digit = 11 // bits
	order, other := slices.Clone(ties), make([]int, len(scores))
	keys := make([]uint64, len(scores))
	for i, v := range scores {
		keys[i] = descending(v)
	}
	if len(scores) <= 128 { // fewer than the places of a digit
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

// descending returns a number that is the lower the higher a score is, and highest for NaN. Both zeros are one.
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
