package core

import (
	"context"
	"math"
)

// standardErrors fills in how far scores would move had other coalitions been drawn: the sandwich
// estimator G⁻¹ (sum w² e² x xᵀ) G⁻¹ with the small-sample factor n/(n-k-1) (White 1980; HC1). It holds
// for a surrogate that is a simplification of the model, as it is.
//
// Only the diagonal is asked for: that of instance i is the sum of w² e² times the square of entry i of
// G⁻¹ x over the coalitions. G⁻¹ x is a masked sum of rows of G⁻¹, shared by all classes; with those of many
// coalitions at a time as the rows of a matrix B, all classes' diagonals are one product with B's squares.
func (s *surrogate) standardErrors(ctx context.Context, fits []fit, chol *cholesky, residual []float64) error {
	n, k := s.z.Len(), s.z.k
	drawn := 0.0
	for _, m := range s.count {
		drawn += m
	}
	if drawn <= float64(k+1) {
		return nil
	}
	inverse, err := chol.inverse(ctx)
	if err != nil {
		return err
	}
	correction := drawn / (drawn - float64(k) - 1)
	minus := make([]float64, len(residual)) // (coalition, class): what Subtract is to add
	for i, e := range residual {
		j := i / s.classes
		v := s.w[j] * e
		minus[i] = -v * v * correction / s.count[j] // w carries the count once, the sum over draws needs it once
	}
	shift := s.shift(inverse, k)
	variance := make([]float64, s.classes*k)
	var influence []float64 // (coalition, instance), but for the sign
	err = eachRange(ctx, n, k*lines(k), func(lo, hi int) {
		if influence == nil {
			influence = make([]float64, (hi-lo)*k)
		}
		b := influence[:(hi-lo)*k]
		s.by.Sums(b, s.listed.Slice(lo, hi), inverse, k)
		for j := lo; j < hi; j++ {
			times := 1.0
			if s.mean == nil {
				times = s.size[j]
			}
			row := b[(j-lo)*k : (j-lo+1)*k]
			for i, v := range row {
				v -= times * shift[i]
				row[i] = v * v
			}
		}
		s.by.Subtract(variance, k, minus[lo*s.classes:], 1, s.classes, b, k, s.classes, k, hi-lo)
	})
	for c := range fits {
		fits[c].freedom = drawn - float64(k) - 1
		fits[c].stderr = variance[c*k : (c+1)*k : (c+1)*k]
		for i, v := range fits[c].stderr {
			fits[c].stderr[i] = math.Sqrt(v)
		}
	}
	return err
}
