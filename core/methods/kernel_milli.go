package methods

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/surrogate"
)

// A MILLICurve is pi_R of METHODS section 1 (paper, section 3.2): the probability that a coalition
// contains the instance of rank r. Rank 0 is the most important. The curve runs from Alpha at rank
// 0 to 1-Alpha at the last rank. Beta bends it: a positive Beta changes it mostly at the first
// ranks, a negative Beta at the last ranks, and 0 gives a straight line.
type MILLICurve struct {
	Alpha, Beta float64
	// Printed uses the paper's r/k for a bag of k instances. The default is r/(k-1), as in the
	// published code, for which the last rank has exactly 1-Alpha.
	Printed bool
}

// At returns pi_R(r) for a bag of k instances. For k = 1 it is Alpha.
func (c MILLICurve) At(r, k int) float64 {
	last := c.last(k)
	if last == 0 {
		return c.Alpha
	}
	x, b := float64(r), c.bend()
	if b >= 0 {
		return (2*c.Alpha-1)*(1-x/last)*math.Exp(-b*x) + 1 - c.Alpha
	}
	return (1-2*c.Alpha)*(x/last)*math.Exp(-b*(x-last)) + c.Alpha
}

// last returns K of METHODS, the rank at which the curve ends.
func (c MILLICurve) last(k int) float64 {
	if c.Printed {
		return float64(k)
	}
	return float64(k - 1)
}

// bend returns b of METHODS: Beta, with the opposite sign if the curve falls.
func (c MILLICurve) bend() float64 {
	if c.Alpha < 0.5 {
		return c.Beta
	}
	return -c.Beta
}

// Probabilities returns pi_R of all ranks 0..k-1.
func (c MILLICurve) Probabilities(k int) []float64 {
	p := make([]float64, k)
	for r := range p {
		p[r] = c.At(r, k)
	}
	return p
}

// tieTolerance is the part of the range of an importance within which ranks count as equal. Equal
// may differ by the rounding of float32 arithmetic.
const tieTolerance = 1e-6

// Ranked returns pi_R of the ranks of a bag whose instances have the given importance and, from
// rank 0 on, the given order. Ranks of equal importance share the mean of their probabilities, so
// that equal instances have equal scores.
func (c MILLICurve) Ranked(importance []float64, order []int) []float64 {
	last := order[len(order)-1]
	return c.ranked(importance, order, tieTolerance*(importance[order[0]]-importance[last]))
}

// ranked is Ranked for importance that counts as equal up to a tolerance.
func (c MILLICurve) ranked(importance []float64, order []int, tolerance float64) []float64 {
	k := len(order)
	p := make([]float64, k)
	for lo := 0; lo < k; {
		hi, sum := lo, 0.0
		for ; hi < k && !(importance[order[lo]]-importance[order[hi]] > tolerance); hi++ {
			sum += c.At(hi, k)
		}
		for r := lo; r < hi; r++ {
			p[r] = sum / float64(hi-lo)
		}
		lo = hi
	}
	return p
}

// ExpectedSize returns E|z|, the mean size of a coalition drawn from a bag of k instances before
// empty and full ones are redrawn: the sum of all pi_R.
func (c MILLICurve) ExpectedSize(k int) float64 {
	sum := 0.0
	for r := range k {
		sum += c.At(r, k)
	}
	return sum
}

// ExpectedSizeIntegral returns the paper's closed form of E|z|: the integral of pi_R over [0, K].
// It uses |b| for a negative b; the paper omits the absolute value.
func (c MILLICurve) ExpectedSizeIntegral(k int) float64 {
	last, b := c.last(k), c.bend()
	ramp := last * last * bentArea(math.Abs(b)*last) / math.Max(last, 1)
	if b >= 0 {
		return (2*c.Alpha-1)*ramp + last*(1-c.Alpha)
	}
	return (1-2*c.Alpha)*ramp + last*c.Alpha
}

// bentArea returns (exp(-x) + x - 1) / x². Near 0 it uses the series, because the formula loses all
// digits there.
func bentArea(x float64) float64 {
	if x < 1e-2 {
		return 0.5 - x/6 + x*x/24 - x*x*x/120
	}
	return (math.Exp(-x) + x - 1) / (x * x)
}

// milliKernel returns the logarithm of MILLI's kernel pi_M(z) = (1/|z|) sum_i z_i pi_R(r_i), with
// p[i] = pi_R(r_i).
func milliKernel(
	ctx context.Context, by core.Arithmetic, z *core.Coalitions, p []float64,
) (surrogate.LogKernel, error) {
	sums := make([]float64, z.Len())
	err := surrogate.EachRange(ctx, z.Len(), z.Instances(), func(lo,
		hi int) {
		by.Sums(sums[lo:hi], z.Slice(lo, hi), p, 1)
	})
	return func(j int) float64 { return math.Log(sums[j] / float64(z.Size(j))) }, err
}

// ContextCurve returns the curve of the contexts of what-ifs: important instances are rarely in a
// context, so that the output does not depend on them alone. Its constants were chosen on
// validation bags of 4-MNIST, of digits with k = 600 and 3000, of colon cancer and of SIVAL.
func ContextCurve() MILLICurve { return MILLICurve{Alpha: .02, Beta: .03} }
