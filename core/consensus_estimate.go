package core

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// An estimator estimates expected marginal contributions for the classes of a run.
type estimator interface {
	// estimate draws n contexts from the probabilities. The name selects the random stream.
	estimate(ctx context.Context, name string, p drawing, n int) (*estimate, error)
	// extend draws further contexts for an estimate, until it has n.
	extend(ctx context.Context, e *estimate, n int) error
	// extends reports whether extend does anything.
	extends() bool
	// describe returns how the scores were estimated, in words for a report.
	describe() string
}

// An estimate holds the expected marginal contributions under one sampling curve.
type estimate struct {
	phi [][]float64 // (class, instance)
	// squares (class, instance) are the squared standard errors, +Inf if unknown; nil if phi is
	// exact.
	squares [][]float64
	freedom float64 // degrees of freedom of the standard errors
	*contexts
}

// unknown reports whether the errors of some scores of a class are unknown.
func (e *estimate) unknown(class int) bool {
	return e.squares != nil && slices.Contains(e.squares[class], math.Inf(1))
}

// A drawing is what contexts are drawn from: a probability for each rank and the instance at each
// rank. Contexts are drawn for ranks, so that the order of a bag's instances has no effect.
type drawing struct {
	byRank []float64 // (rank)
	order  []int     // (rank) instance
}

// probabilities returns the probability of each instance.
func (d drawing) probabilities() []float64 {
	p := make([]float64, len(d.order))
	for r, i := range d.order {
		p[i] = d.byRank[r]
	}
	return p
}

// tieTolerance is the part of the range of an importance within which ranks count as equal. Twins
// may differ by the rounding of float32 arithmetic.
const tieTolerance = 1e-6

// ranked returns a drawing from a curve. Ranks of equal importance share the mean of their
// probabilities.
func (c MILLICurve) ranked(importance []float64, order []int) drawing {
	k := len(order)
	d := drawing{make([]float64, k), order}
	tolerance := tieTolerance * (importance[order[0]] - importance[order[k-1]])
	for lo := 0; lo < k; {
		hi, sum := lo, 0.0
		for ; hi < k && !(importance[order[lo]]-importance[order[hi]] > tolerance); hi++ {
			sum += c.At(hi, k)
		}
		for r := lo; r < hi; r++ {
			d.byRank[r] = sum / float64(hi-lo)
		}
		lo = hi
	}
	return d
}

// alike returns a drawing of all instances with one probability.
func alike(p float64, order []int) drawing {
	d := drawing{make([]float64, len(order)), order}
	for r := range d.byRank {
		d.byRank[r] = p
	}
	return d
}

// enumeration evaluates all coalitions of a small bag.
type enumeration struct {
	k, least int
	values   [][]float64 // (class, coalition as a number)
}

// enumerate evaluates them. Values of coalitions below the least bag are not used.
func (g *Game) enumerate(ctx context.Context, classes []int) (*enumeration, error) {
	k, least := g.Instances(), g.LeastBag()
	z, at := NewCoalitions(k, 1<<k), []int{}
	for s := range 1 << k {
		if bits.OnesCount(uint(s)) >= least {
			z.AppendEmpty()[0] = uint64(s)
			at = append(at, s)
		}
	}
	values, err := g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	e := &enumeration{k, least, make([][]float64, len(classes))}
	for n, c := range classes {
		e.values[n] = make([]float64, 1<<k)
		for j, s := range at {
			e.values[n][s] = values[j*g.Classes()+c]
		}
		g.logOdds(e.values[n])
	}
	return e, nil
}

// estimate implements estimator: the mean over all contexts, weighted by their probabilities.
func (e *enumeration) estimate(_ context.Context, _ string, d drawing, _ int) (*estimate, error) {
	p := d.probabilities()
	out := &estimate{phi: make([][]float64, len(e.values))}
	for n := range out.phi {
		out.phi[n] = make([]float64, e.k)
	}
	for i := range e.k {
		total := 0.0
		for s := range 1 << e.k {
			if s>>i&1 != 0 || bits.OnesCount(uint(s)) < e.least {
				continue
			}
			weight := 1.0
			for j, q := range p {
				switch {
				case s>>j&1 != 0:
					weight *= q
				case j != i:
					weight *= 1 - q
				}
			}
			total += weight
			for n, values := range e.values {
				out.phi[n][i] += weight * (values[s|1<<i] - values[s])
			}
		}
		for n := range out.phi {
			out.phi[n][i] /= total
		}
	}
	return out, nil
}

func (*enumeration) extend(context.Context, *estimate, int) error { return nil }

func (*enumeration) extends() bool { return false }

func (*enumeration) describe() string { return "" }

// variance returns the mean squared distance of values from their mean.
func variance(values []float64) float64 {
	center, square := mean(values), 0.0
	for _, v := range values {
		square += (v - center) * (v - center) / float64(len(values))
	}
	return square
}
