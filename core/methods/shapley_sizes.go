package methods

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// sizeRounds is the number of times that fit corrects the effects.
const sizeRounds = 2

// A sizeFit is the surrogate of one class: for the pairs of sizes s of group g, with effects a,
//
//	f̂ = o_g + c_g xᵀ a
//
// Its Shapley values are a times the mean of c over the sizes, plus the same for all instances.
// Those of what f̂ leaves, r = y - f̂, are estimated by their regression. The sum of both is right
// for any a, o and c if all pairs are listed, and its errors are those of r, which are small if f
// saturates or averages: then effects change with the size, and their order remains (compare
// Witter, Liu and Musco 2025, Regression-adjusted Monte Carlo estimators for Shapley values).
type sizeFit struct {
	*pairDesign
	effects []float64 // (instance) a
	left    []float64 // (pair) r
	// (pair, instance) influence of a pair on the effects, times the sign, from residuals
	influence []float64
	sign      float64
}

// fit returns the scores, which sum to 0, of halved differences y (pair), their standard errors and
// degrees of freedom. Errors are infinite if the pairs are too few. y must be centred so that it is
// 0 for values that are proportional to the size.
func (d *pairDesign) fit(
	ctx context.Context, y []float64,
) (scores, errors []float64, freedom float64, err error) {
	k := d.Coalitions.Instances()
	f := &sizeFit{pairDesign: d, left: slices.Clone(y), sign: 1,
		influence: make([]float64, len(d.effect))}
	f.start()
	f.add(f.influence, 1)
	for range sizeRounds {
		if err := f.correct(ctx, y); err != nil {
			return nil, nil, 0, err
		}
	}
	errors = slices.Repeat([]float64{math.Inf(1)}, k)
	if d.freedom > 0 {
		freedom = setErrors(errors, f.influence, f.freedom)
	}
	return f.effects, errors, freedom, nil
}

// start sets the effects by the regression of what is left, and of what is left of it without the
// means of groups, whichever leaves less. The first is exact for additive games and for those of
// pairs, the second for those that depend on the size alone.
func (f *sizeFit) start() {
	plain := f.left
	centred := f.centred(plain)
	f.effects = f.regressed(plain)
	f.left = minus(plain, f.projected())
	effects, left := f.effects, f.left
	f.effects = f.regressed(centred)
	f.left = minus(centred, f.centred(f.projected()))
	if squares(left) <= squares(f.left) {
		f.effects, f.left = effects, left
	}
}

// regressed returns the effects that fit halved differences.
func (d *pairDesign) regressed(y []float64) []float64 {
	k := d.Coalitions.Instances()
	out := make([]float64, k)
	for j, v := range y {
		for i, b := range d.effect[j*k : (j+1)*k] {
			out[i] += v * b
		}
	}
	return out
}

// projected returns X a.
func (f *sizeFit) projected() []float64 {
	k := len(f.effects)
	out := make([]float64, len(f.Size))
	for j := range out {
		for i, v := range f.x[j*k : (j+1)*k] {
			out[j] += v * f.effects[i]
		}
	}
	return out
}

// add adds the influences of what is left, times a sign.
func (f *sizeFit) add(to []float64, sign float64) {
	k := len(f.effects)
	for j, v := range f.left {
		v *= sign * f.scatter[j]
		for i, b := range f.effect[j*k : (j+1)*k] {
			to[j*k+i] += v * b
		}
	}
}

// correct fits o and c, replaces the effects by the Shapley values of f̂ and of what it leaves, and
// follows their errors: with c̄ the mean of c over the sizes, an error e of the effects becomes
//
//	(c̄ - (Xᵀ W X)⁻¹ Xᵀ W C (X - X̄)) e
//
// where C has the c of each pair and X̄ the means of its group, and errors of r are added.
func (f *sizeFit) correct(ctx context.Context, y []float64) error {
	k := len(f.effects)
	u := f.projected()
	slope := f.slopes(u, y)
	mean := 0.0
	for g, share := range f.share {
		mean += share * slope[g]
	}
	for i, v := range f.regressed(f.left) {
		f.effects[i] = mean*f.effects[i] + v
	}
	if f.freedom <= 0 {
		return nil
	}
	scaled := make([]float64, len(f.x)) // C (X - X̄)
	means := f.groupMeans(f.x, k)
	for j, g := range f.group {
		for i := range k {
			scaled[j*k+i] = slope[g] * (f.x[j*k+i] - means[g*k+i])
		}
	}
	product, step := make([]float64, k*k), make([]float64, k*k)
	err := f.subtract(ctx, product, f.against, 1, k, scaled, k, len(y))
	if err != nil {
		return err
	}
	for i := range k {
		step[i*k+i] = mean
	}
	if err := f.subtract(ctx, step, product, 1, k, f.inverse, k, k); err != nil {
		return err
	}
	next := scaled // its values are no longer needed
	clear(next)
	f.add(next, -f.sign)
	if err := f.subtract(ctx, next, f.influence, k, 1, step, len(y), k); err != nil {
		return err
	}
	f.influence, f.sign = next, -f.sign
	return nil
}

// rounded is the share of a sum of squares below which all of it is rounding.
const rounded = 1e-16

// slopes returns c of each group for u = X a, and sets what f̂ leaves of y. Each c is drawn to 1 by
// as much as one pair of the variance that c = 1 leaves, so that groups of few pairs follow them
// little.
func (f *sizeFit) slopes(u, y []float64) []float64 {
	u, y = f.centred(u), f.centred(y)
	groups := len(f.members)
	product, square, left := make([]float64, groups), make([]float64, groups), 0.0
	for j, g := range f.group {
		product[g] += u[j] * y[j]
		square[g] += u[j] * u[j]
		left += ((y[j]-u[j])*(y[j]-u[j]) + rounded*u[j]*u[j]) / float64(len(y))
	}
	for g := range product {
		if square[g]+left > 0 {
			product[g] = (product[g] + left) / (square[g] + left)
		}
	}
	for j, g := range f.group {
		f.left[j] = y[j] - product[g]*u[j]
	}
	return product
}

// centred returns values (pair) minus the means of their groups.
func (d *pairDesign) centred(values []float64) []float64 {
	means := d.groupMeans(values, 1)
	out := slices.Clone(values)
	for j, g := range d.group {
		out[j] -= means[g]
	}
	return out
}

// minus returns a - b.
func minus(a, b []float64) []float64 {
	out := slices.Clone(a)
	for j, v := range b {
		out[j] -= v
	}
	return out
}

// squares returns the sum of squares.
func squares(list []float64) (sum float64) {
	for _, v := range list {
		sum += v * v
	}
	return sum
}

// groupMeans returns the means of rows (pair, columns) over the pairs of each group. They are 0 for
// k/2: which of two coalitions of one size comes first is arbitrary, so that o is 0.
func (d *pairDesign) groupMeans(rows []float64, columns int) []float64 {
	means := make([]float64, len(d.members)*columns)
	for j, g := range d.group {
		linear.AddRow(means[g*columns:(g+1)*columns], rows[j*columns:(j+1)*columns])
	}
	for g, n := range d.members {
		linear.Divide(means[g*columns:(g+1)*columns], n)
	}
	if 2*d.Size[len(d.Size)-1] == d.Coalitions.Instances() {
		clear(means[len(means)-columns:])
	}
	return means
}

// setErrors sets standard errors (instance) by the influences (draw, instance) of independent draws
// on the scores. It returns the harmonic mean of their degrees of freedom, most at most.
func setErrors(errors, influence []float64, most float64) float64 {
	reciprocals, scattered := 0.0, 0.0
	number := float64(len(influence) / len(errors))
	for i := range errors {
		square, fourth := 0.0, 0.0
		for j := i; j < len(influence); j += len(errors) {
			v := influence[j]
			square += v * v
			fourth += v * v * v * v
		}
		var freedom float64
		errors[i], freedom = stats.ErrorOfInfluences(square, fourth, number, most)
		if square > 0 {
			reciprocals += 1 / freedom
			scattered++
		}
	}
	if scattered == 0 {
		return most
	}
	return scattered / reciprocals
}
