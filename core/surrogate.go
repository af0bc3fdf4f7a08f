package core

import (
	"context"
	"math"
)

// A surrogate is the additive game g_c(z) = phi_0 + sum_i phi_i z_i that fits the values of the drawn
// coalitions best: it minimises sum_z pi(z) (F_c(z) - g_c(z))² (METHODS section 1; paper, equation 2).
//
// The weights come as logarithms and are scaled to sum to 1 before anything is solved, so that the
// solution is the same whatever their size. Where fewer coalitions than instances were drawn, the
// solution is the smallest one that fits, found through the n x n dual. Where more coalitions still do not
// determine every score, a ridge of 1e-10 of the mean diagonal picks the smallest best fit to about six
// digits. A note says so of both.
type surrogate struct {
	*design
	classes    int
	void, full []float64 // (class): when set, phi sums to full - void and phi_0 is void (KernelSHAP's constraint)
	raw        bool      // the published code's solve: weights unscaled, ridge 1e-10, free intercept
	sampled    bool      // coalitions are a random sample, so that scores have standard errors
}

// A fit is the solved surrogate of one class.
type fit struct {
	phi       []float64
	stderr    []float64 // nil when not sampled or when no degree of freedom is left
	freedom   float64   // degrees of freedom of stderr, 0 for the normal distribution
	r2        float64
	truncated bool // the system was singular, so that a ridge took the choice
	short     bool // fewer coalitions than unknowns: the smallest of many fits, and R² is 1 or near it
}

const (
	relativeRidge  = 1e-10 // of the mean diagonal, when a system is singular
	referenceRidge = 1e-10 // absolute, on unscaled weights
	worstCondition = 1e12  // above it a system counts as singular
)

// solve fits every class; y is (distinct coalition, class), in the order of design.z. It returns
// the cause when ctx ends.
func (s *surrogate) solve(ctx context.Context, y []float64) ([]fit, error) {
	n, k := s.z.Len(), s.z.k
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
		fits[c] = fit{phi: s.column(sol.phi, c), r2: s.r2(y, residual, c), truncated: sol.truncated, short: n < s.unknowns()}
		if s.voided() {
			share := (s.full[c] - s.void[c]) / float64(k)
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

// A solution is phi (instance, class), with the factorised normal equations where they were used.
type solution struct {
	phi       []float64
	chol      *cholesky
	truncated bool
}

// column returns class c of m (row, class).
func (s *surrogate) column(m []float64, c int) []float64 {
	out := make([]float64, len(m)/s.classes)
	for i := range out {
		out[i] = m[i*s.classes+c]
	}
	return out
}

// centred returns the values less what response takes from them, (coalition, class).
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

// unknowns counts what the coalitions have to determine: a score for each instance and the intercept, or
// the scores that one constraint leaves free.
func (s *surrogate) unknowns() int {
	if s.voided() {
		return s.z.k - 1
	}
	return s.z.k + 1
}

func (s *surrogate) voided() bool { return s.void != nil }

// response returns what is taken from the values of class c before the solve: offset + slope |z|. With a
// free intercept that is their weighted mean; with the constraint, the void and an equal share of the
// difference for each member, which leaves scores that sum to zero.
func (s *surrogate) response(y []float64, c int) (offset, slope float64) {
	if s.voided() {
		return s.void[c], (s.full[c] - s.void[c]) / float64(s.z.k)
	}
	return s.weightedMean(y, c), 0
}

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

// solveColumns solves for each class of x (row, class) in place.
func (s *surrogate) solveColumns(chol *cholesky, x []float64) {
	n := chol.n
	columns := make([]float64, 0, len(x))
	for c := range s.classes {
		columns = append(columns, s.column(x, c)...)
	}
	chol.solve(columns, s.classes)
	for i := range x {
		x[i] = columns[i%s.classes*n+i/s.classes]
	}
}

// dual solves for the smallest phi that fits n <= k coalitions: phi = Xᵀ a with X Xᵀ a = y. A fit that
// is exact does not depend on the weights, so they are left out, unless rows of X depend on one another.
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
	a := append([]float64(nil), rhs...)
	s.solveColumns(chol, a)
	sol.phi, err = s.transposeTimes(ctx, a, s.classes, nil)
	return sol, err
}

// weightedDual is the dual with weights and a ridge, for rows that depend on one another: it weighs
// contradictions among them as the primal would.
func (s *surrogate) weightedDual(ctx context.Context, kernel *symmetric, rhs []float64) ([]float64, error) {
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
		return make([]float64, s.z.k*s.classes), nil
	}
	a := make([]float64, len(rhs))
	for i, v := range rhs {
		a[i] = v * root[i/s.classes]
	}
	s.solveColumns(chol, a)
	return s.transposeTimes(ctx, a, s.classes, root)
}

// r2 is the weighted coefficient of determination of class c: 1 is a perfect fit, 0 is no better than
// the mean. A class that is constant over the coalitions is fitted perfectly.
func (s *surrogate) r2(y, residual []float64, c int) float64 {
	mean := s.weightedMean(y, c)
	left, all, total := 0.0, 0.0, 0.0
	for j, w := range s.w {
		e, d := residual[j*s.classes+c], y[j*s.classes+c]-mean
		left += w * e * e
		all += w * d * d
		total += w
	}
	if all <= 1e-26*total*mean*mean { // a constant, but for rounding
		return 1
	}
	return 1 - left/all
}
