package metric

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// R2 returns the weighted R² of scores as an additive surrogate of the values of coalitions,
//
//	1 - sum_z w_z (y_z - a - sum_i phi_i z_i)² / sum_z w_z (y_z - mean y)²
//
// with the intercept a that fits best. values and weights have one entry a coalition; weights are not
// negative, and nil weighs all alike. It is 1 for a perfect fit, and may be below zero, as scores that
// were not fitted to these coalitions may be worse than a constant. It is NaN when the values do not
// vary: there is nothing to explain.
func R2(scores []float64, z *core.Coalitions, values, weights []float64) float64 {
	residuals := make([]float64, z.Len())
	var members []int
	for j := range residuals {
		residuals[j] = values[j]
		members = z.Members(members[:0], j)
		for _, i := range members {
			residuals[j] -= scores[i]
		}
	}
	if z.Len() == 0 || slices.Min(values) == slices.Max(values) {
		return math.NaN()
	}
	return 1 - variation(residuals, weights)/variation(values, weights)
}

// variation returns the weighted sum of squares around the weighted mean.
func variation(values, weights []float64) float64 {
	weight := func(int) float64 { return 1 }
	if weights != nil {
		weight = func(j int) float64 { return weights[j] }
	}
	mean, sum := 0.0, 0.0
	for j, v := range values {
		mean += weight(j) * v
		sum += weight(j)
	}
	mean /= sum
	squares := 0.0
	for j, v := range values {
		squares += weight(j) * (v - mean) * (v - mean)
	}
	return squares
}
