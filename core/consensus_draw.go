package core

import (
	"math"
	"slices"
)

// importance is what single instances say: that the bag is not negative or, where no class is, that it is of any.
func (g *Game) importance(singles []float64) []float64 {
	out := make([]float64, g.Instances())
	for i := range out {
		row := singles[i*g.Classes() : (i+1)*g.Classes()]
		if c := g.Negative(); c >= 0 {
			out[i] = 1 - row[c]
		} else {
			out[i] = slices.Max(row)
		}
	}
	return out
}

// tied returns the probability of each rank and of each instance. Ranks of equal importance, whose order is
// chance, share the mean of theirs.
func (c MILLICurve) tied(importance []float64, order []int) (byRank, p []float64) {
	k := len(order)
	byRank, p = make([]float64, k), make([]float64, k)
	for lo := 0; lo < k; {
		hi, sum := lo, 0.0
		for ; hi < k && importance[order[hi]] == importance[order[lo]]; hi++ {
			sum += c.At(hi, k)
		}
		for r := lo; r < hi; r++ {
			byRank[r] = sum / float64(hi-lo)
			p[order[r]] = byRank[r]
		}
		lo = hi
	}
	return byRank, p
}

// times is the kernel times the probability of drawing a coalition, but for a factor: what the fit to draws without
// end would weigh it by.
func (kernel logKernel) times(z *Coalitions, p []float64) logKernel {
	odds := make([]float64, len(p))
	for i, q := range p {
		odds[i] = math.Log(q / (1 - q))
	}
	return func(j int) float64 {
		sum := kernel(j)
		for i, v := range odds {
			if z.Has(j, i) {
				sum += v
			}
		}
		return sum
	}
}
