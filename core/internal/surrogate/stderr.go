package surrogate

import (
	"context"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// standardErrors sets the standard errors of the scores over random draws of coalitions.
//
// A draw of coalition z with weight u and residual e has the influence u e G⁻¹ x on the scores, G =
// Xᵀ W X, and their variance is the sum of the squared influences (White 1980), valid although the
// surrogate only approximates the model. Residuals are too small, because the fit follows each
// coalition, and most of all those of great weight: under the Shapley kernel the plain sum has half
// of the variance. Each e² is therefore divided by the share of the variance that the fit leaves,
// see draws.left (Horn, Horn & Duncan 1975, for weights that are not those of the variances).
//
// A coalition and its complement that were drawn together are one draw: their influences are
// opposite in x, and they are added before they are squared.
//
// Only the diagonal is needed. If the vectors G⁻¹ x of many coalitions are the rows of a matrix B,
// the diagonals of all classes are one product with the squares of B.
func (s *Surrogate) standardErrors(
	ctx context.Context, fits []Fit, chol *linear.Cholesky, residual []float64,
) error {
	k := s.Coalitions.Instances()
	d, err := s.draws(ctx)
	if err != nil {
		return err
	}
	freedom := linear.Total(d.number) - float64(k) - 1
	if freedom <= 0 {
		return nil
	}
	inverse, err := chol.Inverse(ctx)
	if err != nil {
		return err
	}
	if err := d.setOthers(ctx, inverse); err != nil {
		return err
	}
	sums := &influences{
		draws: d, residual: residual, factor: make([]float64, len(residual)),
		square: make([]float64, len(residual)), variance: make([]float64, s.Classes*k),
		fourth: make([]float64, s.Classes*k), alone: make([]float64, k),
		squares: make([]float64, s.Classes),
	}
	if err := d.products(ctx, inverse, sums.add); err != nil {
		return err
	}
	for c := range fits {
		sums.setErrors(&fits[c], c, freedom)
	}
	return nil
}

// influences adds up the squared influences of draws on the scores.
type influences struct {
	*draws
	residual []float64 // (coalition, class)
	// (coalition, class) negated factors of the squares and of the fourth powers
	factor, square   []float64
	variance, fourth []float64 // (class, instance) sums of squared influences, and of their squares
	// (instance) sums over the draws without which the scores are not determined: they have no
	// residual, and take the mean square of the others
	alone   []float64
	squares []float64 // (class) sum of the squared residuals
	shares  float64   // sum of what the fit leaves of them
}

// leastShare is the share of the variance below which a residual is only rounding.
const leastShare = 1e-6

// add adds the draws of a range of coalitions, b = G⁻¹ x (coalition, instance).
func (s *influences) add(lo, hi int, b []float64) {
	k, classes := s.Coalitions.Instances(), s.Classes
	for j := lo; j < hi; j++ {
		row, number := b[(j-lo)*k:(j-lo+1)*k], s.number[j]
		if number == 0 {
			continue
		}
		left := s.left(j, s.leverage(j, row))
		s.shares += number * left
		for c := range classes {
			at := j*classes + c
			v := s.u[j] * s.residual[at]
			if p := s.partner[j]; p >= 0 {
				v -= s.u[p] * s.residual[p*classes+c]
			}
			s.squares[c] += number * v * v / s.weightSquare(j)
			if left >= leastShare {
				s.factor[at] = -number * s.missed(j) * v * v / left
				s.square[at] = -s.factor[at] * s.factor[at] / number
			}
		}
		if left < leastShare {
			for i, v := range row {
				s.alone[i] += number * s.missed(j) * s.weightSquare(j) * v * v
			}
		}
	}
	addPower := func(sums, factors []float64) {
		for i, v := range b {
			b[i] = v * v
		}
		s.by.Subtract(sums, k, factors[lo*classes:], 1, classes, b, k, classes, k, hi-lo)
	}
	addPower(s.variance, s.factor)
	addPower(s.fourth, s.square)
}

// setErrors sets the standard errors of a class. Freedom is the harmonic mean over the instances,
// most at most.
func (s *influences) setErrors(f *Fit, class int, most float64) {
	k := s.Coalitions.Instances()
	f.StdErr, f.Freedom = make([]float64, k), most
	sum, scattered := 0.0, 0.0 // reciprocals, and scores with an error
	number := linear.Total(s.number)
	for i := range f.StdErr {
		alone := s.alone[i] * s.squares[class] / s.shares
		v := s.variance[class*k+i] + alone
		if v > 0 {
			var freedom float64
			f.StdErr[i], freedom = stats.ErrorOfInfluences(v, s.fourth[class*k+i]+alone*alone,
				number, most)
			sum, scattered = sum+1/freedom, scattered+1
		}
	}
	if scattered > 0 {
		f.Freedom = scattered / sum
	}
}
