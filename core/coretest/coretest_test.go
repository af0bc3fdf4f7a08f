package coretest

import (
	"math/bits"
	"testing"
)

// TestShapleyClosedForms compares the closed forms with the definition: the mean marginal
// contribution over all orders, summed by coalition.
func TestShapleyClosedForms(t *testing.T) {
	for _, g := range Games() {
		k := g.Players
		for i := range k {
			phi := 0.0
			for mask := range uint(1) << k {
				if mask>>i&1 == 1 {
					continue
				}
				s := bits.OnesCount(mask)
				marginal := g.Value(members(mask|1<<i)) - g.Value(members(mask))
				phi += marginal / (choose(k-1, s) * float64(k))
			}
			Near(t, g.Name, g.Shapley[i], phi, Exact)
		}
	}
}

func members(mask uint) []int {
	var out []int
	for i := 0; mask>>i != 0; i++ {
		if mask>>i&1 == 1 {
			out = append(out, i)
		}
	}
	return out
}
