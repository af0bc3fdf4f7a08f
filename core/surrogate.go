package core

import (
	"context"
	"math"
	"slices"
)

// A surrogate is the additive game g_c(z) = phi_0 + sum_i phi_i z_i with the best fit to the values
// of the drawn coalitions: it minimises sum_z pi(z) (F_c(z) - g_c(z))² (METHODS section 1; paper,
// equation 2).
//
// The weights are logarithms, scaled to sum to 1 before the solve, so that their magnitude does not
// matter. If fewer coalitions than instances were drawn, the solution is the fit of smallest norm,
// from the n x n dual system. If more coalitions do not determine every score, a ridge of 1e-10 of
// the mean diagonal gives the best fit of smallest norm to about six digits. In both cases the
// attribution has a note.
type surrogate struct {
	*design
	classes int
	// (class): if set, phi sums to full - empty, phi_0 = empty (KernelSHAP's constraint)
	empty, full []float64
	// the published code's solve: weights unscaled, ridge 1e-10, free intercept
	raw     bool
	sampled bool // coalitions are a random sample, so that scores have standard errors
}

// A fit is the solved surrogate of one class.
type fit struct {
	phi       []float64 // (instance)
	stderr    []float64 // (instance); nil if not sampled or no degree of freedom is left
	freedom   float64   // degrees of freedom of stderr, 0 for the normal distribution
	r2        float64
	truncated bool // the system was singular, and a ridge determined the solution
	short     bool // fewer coalitions than unknowns: the fit of smallest norm, and R² is about 1
}

const (
	relativeRidge  = 1e-10 // ridge of a singular system, relative to the mean diagonal
	referenceRidge = 1e-10 // absolute ridge on unscaled weights
	worstCondition = 1e12  // a system with a larger condition number counts as singular
)

// solve fits every class to the values y (distinct coalition, class), in the order of design.z. It
// returns the cause if ctx ends.
func (s *surrogate) solve(ctx context.Context, y []float64) ([]fit, error) {
	n, k := s.z.Len(), s.z.Instances()
	rhs := s.centred(y)
	var sol solution
	var err error
	if n > k || s.raw {
		sol, err = s.primal(ctx, rhs)
	} else {
		sol, err = s.dual(ctx, rhs)
	}
	if err != nil {
		return nil, err
	}
	residual, err := s.times(ctx, sol.phi, s.classes)
	if err != nil {
		return nil, err
	}
	for i, v := range rhs {
		residual[i] = v - residual[i]
	}
	fits := make([]fit, s.classes)
	for c := range fits {
		fits[c] = fit{phi: column(sol.phi, s.classes, c), r2: s.r2(y, residual, c),
			truncated: sol.truncated,
			short:     n < s.unknowns()}
		if s.constrained() {
			share := (s.full[c] - s.empty[c]) / float64(k)
			for i := range fits[c].phi {
				fits[c].phi[i] += share
			}
		}
	}
	if s.sampled && sol.chol != nil && !sol.truncated {
		err = s.standardErrors(ctx, fits, sol.chol, residual)
	}
	return fits, err
}

// A solution is phi (instance, class), with the factor of the normal equations if they were used.
type solution struct {
	phi       []float64
	chol      *cholesky
	truncated bool
}

// centred returns the values minus their response (coalition, class).
func (s *surrogate) centred(y []float64) []float64 {
	rhs := make([]float64, len(y))
	for c := range s.classes {
		offset, slope := s.response(y, c)
		for j := range s.z.Len() {
			at := j*s.classes + c
			rhs[at] = y[at] - offset
			if slope != 0 {
				rhs[at] -= slope * float64(s.z.Size(j))
			}
		}
	}
	return rhs
}

// unknowns returns the number of unknowns: the scores of all instances and the intercept, or k - 1
// under the efficiency constraint.
func (s *surrogate) unknowns() int {
	if s.constrained() {
		return s.z.Instances() - 1
	}
	return s.z.Instances() + 1
}

// constrained reports whether the efficiency constraint holds, instead of a free intercept.
func (s *surrogate) constrained() bool { return s.empty != nil }

// response returns the function of |z| that is subtracted from the values of class c before the
// solve: offset + slope |z|. With a free intercept it is the weighted mean of the values. With the
// efficiency constraint it is the empty value plus an equal share of full - empty for each member;
// the remaining scores then sum to zero.
func (s *surrogate) response(y []float64, c int) (offset, slope float64) {
	if s.constrained() {
		return s.empty[c], (s.full[c] - s.empty[c]) / float64(s.z.Instances())
	}
	return s.weightedMean(y, c), 0
}

// weightedMean returns the weighted mean of the values of class c.
func (s *surrogate) weightedMean(y []float64, c int) float64 {
	sum, total := 0.0, 0.0
	for j, w := range s.w {
		sum += w * y[j*s.classes+c]
		total += w
	}
	return sum / total
}

// primal solves the k x k normal equations.
func (s *surrogate) primal(ctx context.Context, rhs []float64) (solution, error) {
	gram, err := s.gram(ctx)
	if err != nil {
		return solution{}, err
	}
	sol := solution{}
	if sol.phi, err = s.transposeTimes(ctx, rhs, s.classes, s.w); err != nil {
		return solution{}, err
	}
	if s.raw {
		gram.addRidge(referenceRidge)
	}
	if sol.chol, err = factorize(ctx, gram, s.by); err != nil {
		return solution{}, err
	}
	if sol.chol == nil || (!s.raw && sol.chol.condition() > worstCondition) {
		sol.truncated = true
		gram.addRidge(relativeRidge * gram.meanDiagonal())
		if sol.chol, err = factorize(ctx, gram, s.by); err != nil {
			return solution{}, err
		}
		if sol.chol == nil { // a zero matrix: no coalition differs from another
			clear(sol.phi)
			return sol, nil
		}
	}
	s.solveColumns(sol.chol, sol.phi)
	return sol, nil
}

// solveColumns solves the system for each column of x (row, class), in place.
func (s *surrogate) solveColumns(chol *cholesky, x []float64) {
	n := chol.n
	columns := make([]float64, 0, len(x))
	for c := range s.classes {
		columns = append(columns, column(x, s.classes, c)...)
	}
	chol.solve(columns, s.classes)
	for i := range x {
		x[i] = columns[i%s.classes*n+i/s.classes]
	}
}

// dual returns the phi of smallest norm that fits n <= k coalitions: phi = Xᵀ a with X Xᵀ a = y. An
// exact fit does not depend on the weights, so they are omitted, unless the rows of X are linearly
// dependent.
func (s *surrogate) dual(ctx context.Context, rhs []float64) (solution, error) {
	kernel, err := s.kernel(ctx)
	if err != nil {
		return solution{}, err
	}
	chol, err := factorize(ctx, kernel, s.by)
	if err != nil {
		return solution{}, err
	}
	sol := solution{truncated: chol == nil || chol.condition() > worstCondition}
	if sol.truncated {
		sol.phi, err = s.weightedDual(ctx, kernel, rhs)
		return sol, err
	}
	a := slices.Clone(rhs)
	s.solveColumns(chol, a)
	sol.phi, err = s.transposeTimes(ctx, a, s.classes, nil)
	return sol, err
}

// weightedDual is the dual with weights and a ridge, for linearly dependent rows. It weighs
// contradictions among the rows like the primal.
func (s *surrogate) weightedDual(
	ctx context.Context, kernel *symmetric, rhs []float64,
) ([]float64, error) {
	root := make([]float64, len(s.w))
	for j, w := range s.w {
		root[j] = math.Sqrt(w)
	}
	for i := range root {
		row := kernel.upper(i)
		for l := range row {
			row[l] *= root[i] * root[i+l]
		}
	}
	kernel.addRidge(relativeRidge * kernel.meanDiagonal())
	chol, err := factorize(ctx, kernel, s.by)
	if err != nil {
		return nil, err
	}
	if chol == nil {
		return make([]float64, s.z.Instances()*s.classes), nil
	}
	a := make([]float64, len(rhs))
	for i, v := range rhs {
		a[i] = v * root[i/s.classes]
	}
	s.solveColumns(chol, a)
	return s.transposeTimes(ctx, a, s.classes, root)
}

// r2 returns the weighted coefficient of determination of class c: 1 for a perfect fit, 0 for a fit
// no better than the mean. It is 1 for a class that is constant over the coalitions.
func (s *surrogate) r2(y, residual []float64, c int) float64 {
	mean := s.weightedMean(y, c)
	left, all, total := 0.0, 0.0, 0.0
	for j, w := range s.w {
		e, d := residual[j*s.classes+c], y[j*s.classes+c]-mean
		left += w * e * e
		all += w * d * d
		total += w
	}
	if all <= 1e-26*total*mean*mean { // constant up to rounding
		return 1
	}
	return 1 - left/all
}
