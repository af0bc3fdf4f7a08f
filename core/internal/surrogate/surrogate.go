// Package surrogate fits additive games to the values of coalitions, with standard errors.
package surrogate

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// A Surrogate is the additive game g_c(z) = phi_0 + sum_i phi_i z_i with the best fit to the values
// of the drawn coalitions: it minimises sum_z pi(z) (F_c(z) - g_c(z))² (METHODS section 1; paper,
// equation 2).
//
// The weights are logarithms, scaled to sum to 1 before the solve, so that their magnitude does not
// matter. If fewer coalitions than instances were drawn, the solution is the fit of smallest norm,
// from the n x n dual system. If more coalitions do not determine every score, a ridge of 1e-10 of
// the mean diagonal gives the best fit of smallest norm to about six digits. In both cases the
// attribution has a note.
type Surrogate struct {
	*Design
	Classes int
	// (class): if set, phi sums to full - empty, phi_0 = empty (KernelSHAP's constraint)
	Empty, Full []float64
	// the published code's solve: weights unscaled, ridge 1e-10, free intercept
	Raw   bool
	Drawn *Drawn // how the coalitions were drawn, nil if they are no random sample
}

// A Fit is the solved surrogate of one class.
type Fit struct {
	Phi       []float64 // (instance)
	StdErr    []float64 // (instance); nil if not sampled or no degree of freedom is left
	Freedom   float64   // degrees of freedom of stderr, 0 for the normal distribution
	R2        float64
	Truncated bool // the system was singular, and a ridge determined the solution
	Short     bool // fewer coalitions than unknowns: the fit of smallest norm, and R² is about 1
}

const (
	relativeRidge  = 1e-10 // ridge of a singular system, relative to the mean diagonal
	referenceRidge = 1e-10 // absolute ridge on unscaled weights
	worstCondition = 1e12  // a system with a larger condition number counts as singular
)

// Solve fits every class to the values y (distinct coalition, class), in the order of design.z. It
// returns the cause if ctx ends.
func (s *Surrogate) Solve(ctx context.Context, y []float64) ([]Fit, error) {
	n, k := s.Coalitions.Len(), s.Coalitions.Instances()
	rhs := s.centred(y)
	var sol solution
	var err error
	if n > k || s.Raw {
		sol, err = s.primal(ctx, rhs)
	} else {
		sol, err = s.dual(ctx, rhs)
	}
	if err != nil {
		return nil, err
	}
	residual, err := s.times(ctx, sol.phi, s.Classes)
	if err != nil {
		return nil, err
	}
	for i, v := range rhs {
		residual[i] = v - residual[i]
	}
	fits := make([]Fit, s.Classes)
	for c := range fits {
		fits[c] = Fit{Phi: linear.Column(sol.phi, s.Classes, c), R2: s.r2(y, residual, c),
			Truncated: sol.truncated,
			Short:     n < s.Unknowns()}
		if s.constrained() {
			share := (s.Full[c] - s.Empty[c]) / float64(k)
			for i := range fits[c].Phi {
				fits[c].Phi[i] += share
			}
		}
	}
	if s.Drawn != nil && sol.chol != nil && !sol.truncated {
		err = s.standardErrors(ctx, fits, sol.chol, residual)
	}
	return fits, err
}

// A solution is phi (instance, class), with the factor of the normal equations if they were used.
type solution struct {
	phi       []float64
	chol      *linear.Cholesky
	truncated bool
}

// centred returns the values minus their response (coalition, class).
func (s *Surrogate) centred(y []float64) []float64 {
	rhs := make([]float64, len(y))
	for c := range s.Classes {
		offset, slope := s.response(y, c)
		for j := range s.Coalitions.Len() {
			at := j*s.Classes + c
			rhs[at] = y[at] - offset
			if slope != 0 {
				rhs[at] -= slope * float64(s.Coalitions.Size(j))
			}
		}
	}
	return rhs
}

// Unknowns returns the number of unknowns: the scores of all instances and the intercept, or k - 1
// under the efficiency constraint.
func (s *Surrogate) Unknowns() int {
	if s.constrained() {
		return s.Coalitions.Instances() - 1
	}
	return s.Coalitions.Instances() + 1
}

// constrained reports whether the efficiency constraint holds, instead of a free intercept.
func (s *Surrogate) constrained() bool { return s.Empty != nil }

// response returns the function of |z| that is subtracted from the values of class c before the
// solve: offset + slope |z|. With a free intercept it is the weighted mean of the values. With the
// efficiency constraint it is the empty value plus an equal share of full - empty for each member;
// the remaining scores then sum to zero.
func (s *Surrogate) response(y []float64, c int) (offset, slope float64) {
	if s.constrained() {
		return s.Empty[c], (s.Full[c] - s.Empty[c]) / float64(s.Coalitions.Instances())
	}
	return s.weightedMean(y, c), 0
}

// weightedMean returns the weighted mean of the values of class c.
func (s *Surrogate) weightedMean(y []float64, c int) float64 {
	sum, total := 0.0, 0.0
	for j, w := range s.w {
		sum += w * y[j*s.Classes+c]
		total += w
	}
	return sum / total
}

// primal solves the k x k normal equations.
func (s *Surrogate) primal(ctx context.Context, rhs []float64) (solution, error) {
	gram, err := s.gram(ctx)
	if err != nil {
		return solution{}, err
	}
	sol := solution{}
	if sol.phi, err = s.transposeTimes(ctx, rhs, s.Classes, s.w); err != nil {
		return solution{}, err
	}
	if s.Raw {
		gram.AddRidge(referenceRidge)
	}
	if sol.chol, err = linear.Factorize(ctx, gram, s.by); err != nil {
		return solution{}, err
	}
	if sol.chol == nil || (!s.Raw && sol.chol.Condition() > worstCondition) {
		sol.truncated = true
		gram.AddRidge(relativeRidge * gram.MeanDiagonal())
		if sol.chol, err = linear.Factorize(ctx, gram, s.by); err != nil {
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
func (s *Surrogate) solveColumns(chol *linear.Cholesky, x []float64) {
	n := chol.N
	columns := make([]float64, 0, len(x))
	for c := range s.Classes {
		columns = append(columns, linear.Column(x, s.Classes, c)...)
	}
	chol.Solve(columns, s.Classes)
	for i := range x {
		x[i] = columns[i%s.Classes*n+i/s.Classes]
	}
}

// dual returns the phi of smallest norm that fits n <= k coalitions: phi = Xᵀ a with X Xᵀ a = y. An
// exact fit does not depend on the weights, so they are omitted, unless the rows of X are linearly
// dependent.
func (s *Surrogate) dual(ctx context.Context, rhs []float64) (solution, error) {
	kernel, err := s.kernel(ctx)
	if err != nil {
		return solution{}, err
	}
	chol, err := linear.Factorize(ctx, kernel, s.by)
	if err != nil {
		return solution{}, err
	}
	sol := solution{truncated: chol == nil || chol.Condition() > worstCondition}
	if sol.truncated {
		sol.phi, err = s.weightedDual(ctx, kernel, rhs)
		return sol, err
	}
	a := slices.Clone(rhs)
	s.solveColumns(chol, a)
	sol.phi, err = s.transposeTimes(ctx, a, s.Classes, nil)
	return sol, err
}

// weightedDual is the dual with weights and a ridge, for linearly dependent rows. It weighs
// contradictions among the rows like the primal.
func (s *Surrogate) weightedDual(
	ctx context.Context, kernel *linear.Symmetric, rhs []float64,
) ([]float64, error) {
	root := make([]float64, len(s.w))
	for j, w := range s.w {
		root[j] = math.Sqrt(w)
	}
	for i := range root {
		row := kernel.Upper(i)
		for l := range row {
			row[l] *= root[i] * root[i+l]
		}
	}
	kernel.AddRidge(relativeRidge * kernel.MeanDiagonal())
	chol, err := linear.Factorize(ctx, kernel, s.by)
	if err != nil {
		return nil, err
	}
	if chol == nil {
		return make([]float64, s.Coalitions.Instances()*s.Classes), nil
	}
	a := make([]float64, len(rhs))
	for i, v := range rhs {
		a[i] = v * root[i/s.Classes]
	}
	s.solveColumns(chol, a)
	return s.transposeTimes(ctx, a, s.Classes, root)
}

// R2 returns the weighted coefficient of determination of class c: 1 for a perfect fit, 0 for a fit
// no better than the mean. It is 1 for a class that is constant over the coalitions.
func (s *Surrogate) r2(y, residual []float64, c int) float64 {
	mean := s.weightedMean(y, c)
	left, all, total := 0.0, 0.0, 0.0
	for j, w := range s.w {
		e, d := residual[j*s.Classes+c], y[j*s.Classes+c]-mean
		left += w * e * e
		all += w * d * d
		total += w
	}
	if all <= 1e-26*total*mean*mean { // constant up to rounding
		return 1
	}
	return 1 - left/all
}

// SetUnknown sets infinite standard errors if the sample is too small to estimate them.
func (f *Fit) SetUnknown() {
	if f.StdErr == nil {
		f.StdErr = slices.Repeat([]float64{math.Inf(1)}, len(f.Phi))
	}
}
