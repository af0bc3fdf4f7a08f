package core

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestOrderEqualsAStableSort compares the radix sort with a stable sort by comparisons, where NaN
// is lowest and both zeros are equal.
func TestOrderEqualsAStableSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	special := []float64{0, math.Copysign(0, -1), math.NaN(), -math.NaN(), math.Inf(1),
		math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64,
		-math.SmallestNonzeroFloat64, 1, -1}
	for _, k := range []int{0, 1, 2, 100, 5000} {
		for name, draw := range map[string]func() float64{
			"any":     rng.NormFloat64,
			"few":     func() float64 { return float64(rng.IntN(7) - 3) },
			"special": func() float64 { return special[rng.IntN(len(special))] },
			"bits":    func() float64 { return math.Float64frombits(rng.Uint64()) },
		} {
			scores, ties := make([]float64, k), rng.Perm(k)
			for i := range scores {
				scores[i] = draw()
			}
			want := slices.Clone(ties)
			slices.SortStableFunc(want, func(a, b int) int {
				return cmp.Compare(scores[b], scores[a])
			})
			before := slices.Clone(ties)
			must.EqualSlices(t, OrderTies(scores, ties), want, k, name)
			must.EqualSlices(t, ties, before, k, name)
		}
	}
}
