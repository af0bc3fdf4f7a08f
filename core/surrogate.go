package core

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A surrogate is the additive game g_c(z) = phi_0 + sum_i phi_i z_i that fits the values of the drawn
// coalitions best: it minimises sum_z pi(z) (F_c(z) - g_c(z))² (METHODS §1; paper, equation 2).
//
// The weights come as logarithms and are scaled to sum to 1 before anything is solved, so that the
// solution is the same whatever their size. Where fewer coalitions than instances were drawn, the
// solution is the smallest one that fits, found through the n x n dual. Where more coalitions still do not
// determine every score, a ridge of 1e-10 of the mean diagonal picks the smallest best fit to about six
// digits. A note says so of both.
type surrogate struct {
	*design
	void, full []float64 // (class): when set, phi sums to full - void and phi_0 is void (KernelSHAP's constraint)
	raw        bool      // the published code's solve: weights unscaled, ridge 1e-10, free intercept
	sampled    bool      // coalitions are a random sample, so that scores have standard errors
}

// A fit is the solved surrogate of one class.
type fit struct {
	phi       []float64
	stderr    []float64 // nil when not sampled or when no degree of freedom is left
	r2        float64
	truncated bool // the system was singular, so that a ridge took the choice
	short     bool // fewer coalitions than unknowns: the smallest of many fits, and R² is 1 or near it
}

const (
	relativeRidge  = 1e-10 // of the mean diagonal, when a system is singular
	referenceRidge = 1e-10 // absolute, on unscaled weights
	worstCondition = 1e12  // above it a system counts as singular
)

// solve fits every class; y is shaped (distinct coalition, class), in the order of design.z. It returns
// the cause when ctx ends.
func (s *surrogate) solve(ctx context.Context, y [][]float64) ([]fit, error) {
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
	residual := s.times(sol.phi)
	residual.Sub(rhs, residual)
	fits := make([]fit, len(y[0]))
	for c := range fits {
		fits[c] = fit{phi: mat.Col(nil, c, sol.phi), r2: s.r2(y, residual, c), truncated: sol.truncated, short: n < s.unknowns()}
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

// A solution is phi, shaped (instance, class), with the factorised normal equations where they were used.
type solution struct {
	phi       *mat.Dense
	chol      *mat.Cholesky
	truncated bool
}

// centred returns the values less what response takes from them, shaped (coalition, class).
func (s *surrogate) centred(y [][]float64) *mat.Dense {
	rhs := mat.NewDense(len(y), len(y[0]), nil)
	for c := range y[0] {
		offset, slope := s.response(y, c)
		for j := range y {
			rhs.Set(j, c, y[j][c]-offset-slope*float64(s.z.Size(j)))
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
func (s *surrogate) response(y [][]float64, c int) (offset, slope float64) {
	if s.voided() {
		return s.void[c], (s.full[c] - s.void[c]) / float64(s.z.k)
	}
	sum, total := 0.0, 0.0
	for j, w := range s.w {
		sum += w * y[j][c]
		total += w
	}
	return sum / total, 0
}

// primal solves the k x k normal equations.
func (s *surrogate) primal(ctx context.Context, rhs *mat.Dense) (solution, error) {
	gram, err := s.gram(ctx)
	if err != nil {
		return solution{}, err
	}
	sol := solution{phi: s.transposeTimes(rhs, s.w), chol: &mat.Cholesky{}}
	if s.raw {
		addRidge(gram, referenceRidge)
	}
	if !sol.chol.Factorize(gram) || (!s.raw && sol.chol.Cond() > worstCondition) {
		sol.truncated = true
		addRidge(gram, relativeRidge*meanDiagonal(gram))
		if !sol.chol.Factorize(gram) { // a zero matrix: no coalition differs from another
			return solution{phi: mat.NewDense(s.z.k, rhs.RawMatrix().Cols, nil), truncated: true}, nil
		}
	}
	return sol, ignoreCondition(sol.chol.SolveTo(sol.phi, sol.phi))
}

// dual solves for the smallest phi that fits n <= k coalitions: phi = Xᵀ a with X Xᵀ a = y. A fit that
// is exact does not depend on the weights, so they are left out, unless rows of X depend on one another.
func (s *surrogate) dual(ctx context.Context, rhs *mat.Dense) (solution, error) {
	kernel, err := s.kernel(ctx)
	if err != nil {
		return solution{}, err
	}
	var chol mat.Cholesky
	if chol.Factorize(kernel) && chol.Cond() <= worstCondition {
		a := mat.DenseCopyOf(rhs)
		err := ignoreCondition(chol.SolveTo(a, a))
		return solution{phi: s.transposeTimes(a, nil)}, err
	}
	return solution{phi: s.weightedDual(kernel, rhs), truncated: true}, nil
}

// weightedDual is the dual with weights and a ridge, for rows that depend on one another: it weighs
// contradictions among them as the primal would.
func (s *surrogate) weightedDual(kernel *mat.SymDense, rhs *mat.Dense) *mat.Dense {
	n := s.z.Len()
	root := make([]float64, n)
	a := mat.DenseCopyOf(rhs)
	for j, w := range s.w {
		root[j] = math.Sqrt(w)
		scaleRow(a, j, root[j])
	}
	for i := range n {
		for j := i; j < n; j++ {
			kernel.SetSym(i, j, kernel.At(i, j)*root[i]*root[j])
		}
	}
	addRidge(kernel, relativeRidge*meanDiagonal(kernel))
	var chol mat.Cholesky
	if !chol.Factorize(kernel) || ignoreCondition(chol.SolveTo(a, a)) != nil {
		return mat.NewDense(s.z.k, rhs.RawMatrix().Cols, nil)
	}
	for j := range n {
		scaleRow(a, j, root[j])
	}
	return s.transposeTimes(a, nil)
}

// r2 is the weighted coefficient of determination of class c: 1 is a perfect fit, 0 is no better than
// the mean. A class that is constant over the coalitions is fitted perfectly.
func (s *surrogate) r2(y [][]float64, residual *mat.Dense, c int) float64 {
	mean, total := 0.0, 0.0
	for j, w := range s.w {
		mean += w * y[j][c]
		total += w
	}
	mean /= total
	left, all := 0.0, 0.0
	for j, w := range s.w {
		e, d := residual.At(j, c), y[j][c]-mean
		left += w * e * e
		all += w * d * d
	}
	if all <= 1e-26*total*mean*mean { // a constant, but for rounding
		return 1
	}
	return 1 - left/all
}

// standardErrors fills in how far scores would move had other coalitions been drawn: the sandwich
// estimator G⁻¹ (sum w² e² x xᵀ) G⁻¹ with the small-sample factor n/(n-k-1) (White 1980; HC1). It holds
// for a surrogate that is a simplification of the model, as it is.
func (s *surrogate) standardErrors(ctx context.Context, fits []fit, chol *mat.Cholesky, residual *mat.Dense) error {
	k := s.z.k
	drawn := 0.0
	for _, m := range s.count {
		drawn += m
	}
	if drawn <= float64(k+1) {
		return nil
	}
	var inverse mat.SymDense
	if err := ignoreCondition(chol.InverseTo(&inverse)); err != nil {
		return err
	}
	correction := drawn / (drawn - float64(k) - 1)
	variance := mat.NewDense(len(fits), k, nil)
	err := s.eachInfluence(ctx, &inverse, func(j int, influence []float64) {
		for c := range fits {
			v := s.w[j] * residual.At(j, c)
			v *= v * correction / s.count[j] // w carries the count once, the sum over draws needs it once
			row := variance.RawRowView(c)
			for i, x := range influence {
				row[i] += v * x * x
			}
		}
	})
	for c := range fits {
		fits[c].stderr = mat.Row(nil, c, variance)
		for i, v := range fits[c].stderr {
			fits[c].stderr[i] = math.Sqrt(v)
		}
	}
	return err
}

// ignoreCondition drops gonum's warning of a badly conditioned matrix, which is judged before.
func ignoreCondition(err error) error {
	if _, ok := err.(mat.Condition); ok {
		return nil
	}
	return err
}

func addRidge(m *mat.SymDense, ridge float64) {
	for i := range m.SymmetricDim() {
		m.SetSym(i, i, m.At(i, i)+ridge)
	}
}

func meanDiagonal(m *mat.SymDense) float64 {
	return mat.Trace(m) / float64(m.SymmetricDim())
}

func scaleRow(m *mat.Dense, j int, by float64) {
	row := m.RawRowView(j)
	for i := range row {
		row[i] *= by
	}
}
