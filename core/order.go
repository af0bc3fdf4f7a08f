package core

import (
	"math/rand/v2"
	"slices"
)

// Order returns the indices of scores from the highest score to the lowest. Equal scores come in
// random order, never by index: in a bag whose key instance tends to stand last, an order by index would
// be knowledge. NaN counts as lowest.
func Order(scores []float64, rng *rand.Rand) []int {
	order := rng.Perm(len(scores))
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := scores[a], scores[b]; {
		case x > y || (x == x && y != y):
			return -1
		case x < y || (x != x && y == y):
			return 1
		}
		return 0
	})
	return order
}
