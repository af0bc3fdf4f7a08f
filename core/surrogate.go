package core

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A surrogate is the additive game g_c(z) = phi_0 + sum_i phi_i z_i that fits the values of the drawn
// coalitions best: it minimises sum_z pi(z) (F_c(z) - g_c(z))² (METHODS §1; paper, equation 2).
//
// The weights come as logarithms and are scaled to sum to 1 before anything is solved, so that the
// solution is the same whatever their size. Where fewer coalitions than instances were drawn, the
// solution is the smallest one that fits, found through the n x n dual. Where the coalitions do not
// determine every score, a ridge of 1e-10 of the mean diagonal picks the smallest best fit to about six
// digits, and a note says so.
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
	truncated bool // the coalitions did not determine every score
}

const (
	relativeRidge  = 1e-10 // of the mean diagonal, when a system is singular
	referenceRidge = 1e-10 // absolute, on unscaled weights
	worstCondition = 1e12  // above it a system counts as singular
)

// solve fits every class; y is shaped (distinct coalition, class), in the order of design.z.
func (s *surrogate) solve(y [][]float64) []fit {
	n, k := s.z.Len(), s.z.k
	classes := len(y[0])
	rhs := mat.NewDense(n, classes, nil) // centred values
	for c := range classes {
		offset, slope := s.response(y, c)
		for j := range n {
			rhs.Set(j, c, y[j][c]-offset-slope*float64(s.z.Size(j)))
		}
	}
	var phi *mat.Dense // (instance, class)
	var inverse func(*mat.Dense) error
	var truncated bool
	if n > k || s.raw {
		phi, inverse, truncated = s.primal(rhs)
	} else {
		phi, truncated = s.dual(rhs)
	}
	fits := make([]fit, classes)
	residual := s.residuals(phi, rhs)
	for c := range fits {
		fits[c] = fit{phi: mat.Col(nil, c, phi), r2: s.r2(y, residual, c), truncated: truncated}
		if s.voided() {
			share := (s.full[c] - s.void[c]) / float64(k)
			for i := range fits[c].phi {
				fits[c].phi[i] += share
			}
		}
	}
	if s.sampled && inverse != nil && !truncated && n > k+1 {
		s.standardErrors(fits, inverse, residual)
	}
	return fits
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

// primal solves the k x k normal equations. inverse applies the inverse of their matrix in place.
func (s *surrogate) primal(rhs *mat.Dense) (phi *mat.Dense, inverse func(*mat.Dense) error, truncated bool) {
	gram := s.gram()
	phi = s.transposeTimes(rhs, s.w)
	k := gram.SymmetricDim()
	if s.raw {
		addRidge(gram, referenceRidge)
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) || (!s.raw && chol.Cond() > worstCondition) {
		truncated = true
		addRidge(gram, relativeRidge*meanDiagonal(gram))
		if !chol.Factorize(gram) {
			return mat.NewDense(k, rhs.RawMatrix().Cols, nil), nil, true // a zero matrix: no coalition differs from another
		}
	}
	inverse = func(m *mat.Dense) error { return ignoreCondition(chol.SolveTo(m, m)) }
	if inverse(phi) != nil {
		return phi, nil, true
	}
	return phi, inverse, truncated
}

// dual solves for the smallest phi that fits n <= k coalitions: phi = Xᵀ a with X Xᵀ a = y. A fit that
// is exact does not depend on the weights, so they are left out, unless rows of X depend on one another.
func (s *surrogate) dual(rhs *mat.Dense) (phi *mat.Dense, truncated bool) {
	kernel := s.kernel()
	var chol mat.Cholesky
	if chol.Factorize(kernel) && chol.Cond() <= worstCondition {
		a := mat.DenseCopyOf(rhs)
		if ignoreCondition(chol.SolveTo(a, a)) == nil {
			return s.transposeTimes(a, nil), false
		}
	}
	return s.weightedDual(rhs), true
}

// weightedDual is the dual with weights and a ridge, for rows that depend on one another: it weighs
// contradictions among them as the primal would.
func (s *surrogate) weightedDual(rhs *mat.Dense) *mat.Dense {
	n := s.z.Len()
	kernel := s.kernel()
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

// residuals returns the centred values less what the surrogate says, shaped (coalition, class).
func (s *surrogate) residuals(phi, rhs *mat.Dense) *mat.Dense {
	out := s.times(phi)
	out.Sub(rhs, out)
	return out
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
func (s *surrogate) standardErrors(fits []fit, inverse func(*mat.Dense) error, residual *mat.Dense) {
	n, k := s.z.Len(), s.z.k
	x := s.dense()          // (coalition, instance)
	var influence mat.Dense // (instance, coalition)
	influence.CloneFrom(x.T())
	if inverse(&influence) != nil {
		return
	}
	drawn := 0.0
	for _, m := range s.count {
		drawn += m
	}
	if drawn <= float64(k+1) {
		return
	}
	correction := drawn / (drawn - float64(k) - 1)
	for c := range fits {
		out := make([]float64, k)
		for i := range out {
			sum := 0.0
			row := influence.RawRowView(i)
			for j := range n {
				v := s.w[j] * residual.At(j, c) * row[j]
				sum += v * v / s.count[j] // w carries the count once, the sum needs it once
			}
			out[i] = math.Sqrt(sum * correction)
		}
		fits[c].stderr = out
	}
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
