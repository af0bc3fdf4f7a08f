package surrogate

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// standardErrors sets the standard errors of the scores over random draws of coalitions. It uses
// the sandwich estimator G⁻¹ (sum w² e² x xᵀ) G⁻¹ with the small-sample factor n/(n-k-1) (White
// 1980; HC1), which is valid although the surrogate only approximates the model.
//
// Only the diagonal is needed. The entry of instance i is the sum, over the coalitions, of w² e²
// times the square of entry i of G⁻¹ x. G⁻¹ x is a masked sum of rows of G⁻¹, shared by all
// classes. If the vectors G⁻¹ x of many coalitions are the rows of a matrix B, the diagonals of all
// classes are one product with the squares of B.
func (s *Surrogate) standardErrors(
	ctx context.Context, fits []Fit, chol *linear.Cholesky, residual []float64,
) error {
	n, k := s.Coalitions.Len(), s.Coalitions.Instances()
	drawn := linear.Total(s.count)
	if drawn <= float64(k+1) {
		return nil
	}
	inverse, err := chol.Inverse(ctx)
	if err != nil {
		return err
	}
	correction := drawn / (drawn - float64(k) - 1)
	// (coalition, class): negated, because Subtract subtracts
	minus := make([]float64, len(residual))
	for i, e := range residual {
		j := i / s.Classes
		v := s.w[j] * e
		// w contains the count, w² contains it twice, and the sum over draws needs it once
		minus[i] = -v * v * correction / s.count[j]
	}
	shift := s.shift(inverse, k)
	variance := make([]float64, s.Classes*k)
	var influence []float64 // (coalition, instance), up to the sign
	err = EachRange(ctx, n, k*lines(k), func(lo, hi int) {
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
		s.by.Subtract(variance, k, minus[lo*s.Classes:], 1, s.Classes, b, k, s.Classes, k, hi-lo)
	})
	for c := range fits {
		fits[c].Freedom = drawn - float64(k) - 1
		fits[c].StdErr = variance[c*k : (c+1)*k : (c+1)*k]
		for i, v := range fits[c].StdErr {
			fits[c].StdErr[i] = math.Sqrt(v)
		}
	}
	return err
}
