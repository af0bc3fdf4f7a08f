package methods

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
)

// An estimator estimates expected marginal contributions for the classes of a run.
type estimator interface {
	// estimate draws n contexts with the given probabilities. The name selects the random stream.
	estimate(ctx context.Context, name string, p sampling.Inclusion, n int) (*estimate, error)
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

// enumeration evaluates all coalitions of a small bag.
type enumeration struct {
	k, least int
	values   [][]float64 // (class, coalition as a number)
}

// enumerate evaluates them. Values of coalitions below the least bag are not used.
func enumerate(ctx context.Context, g *core.Game, classes []int) (*enumeration, error) {
	k, least := g.Instances(), g.LeastBag()
	z, at := core.NewCoalitions(k, 1<<k), []int{}
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
	e := &enumeration{k, least, linear.NewMatrix(len(classes), 1<<k)}
	for n, c := range classes {
		for j, s := range at {
			e.values[n][s] = values[j*g.Classes()+c]
		}
		g.LogOdds(e.values[n])
	}
	return e, nil
}

// estimate implements estimator: the mean over all contexts, weighted by their probabilities.
func (e *enumeration) estimate(
	_ context.Context, _ string, in sampling.Inclusion, _ int,
) (*estimate, error) {
	p := in.Probabilities()
	out := &estimate{phi: linear.NewMatrix(len(e.values), e.k)}
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
