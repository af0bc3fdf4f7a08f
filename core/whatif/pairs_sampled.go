package whatif

import (
	"context"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/quota"
)

// pairGroups is the number of groups of contexts. Each group adds up its own contexts in order, so
// that the number of workers has no effect.
const pairGroups = 16

// sample estimates interactions from random contexts.
func (r *pairsRun) sample(ctx context.Context) error {
	draw, err := r.contexts(ctx)
	if err != nil {
		return err
	}
	if err := r.choose(ctx, draw); err != nil {
		return err
	}
	m := len(r.among)
	groups := min(pairGroups, r.q.Contexts)
	memory, held := quota.MemoryOf(ctx), int64(groups+2)*int64(m*m)*10
	if err := memory.Reserve(held, "the interactions of pairs"); err != nil {
		return err
	}
	defer memory.Release(held)
	sums := make([]pairSums, groups)
	passes := 0 // coalitions are evaluated one by one
	if r.together() {
		passes = m * ((r.q.Contexts + groups - 1) / groups)
	}
	err = around(ctx, r.g, groups, passes,
		func(ctx context.Context, s *surroundings, at int) error {
			sums[at] = newPairSums(m)
			for t := at; t < r.q.Contexts; t += groups {
				if err := r.add(ctx, s, &sums[at], draw(t)); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	all := newPairSums(m)
	for _, s := range sums {
		all.merge(s)
	}
	r.values, r.errors = all.pairs.Means()
	r.alone, _ = all.alone.Means()
	return nil
}

// together reports whether the pairs are evaluated by passes over the neighbours of contexts. A
// pass evaluates all k neighbours, of which the pairs need up to Among.
func (r *pairsRun) together() bool {
	return r.g.Neighbours() != nil && r.g.Instances() <= 4*r.q.Among
}

// A pairContext is a context with its weights in the two means.
type pairContext struct {
	z           []uint64
	alone, pair float64
}

// contexts returns a function that draws context number t. It draws for ranks, so that the order of
// the instances has no effect.
func (r *pairsRun) contexts(ctx context.Context) (func(t int) pairContext, error) {
	k := r.g.Instances()
	ramp, err := r.ramp(ctx)
	if err != nil {
		return nil, err
	}
	source := sampling.NewSource(ramp)
	return func(t int) pairContext {
		rng := r.g.Rand("pairs " + strconv.Itoa(t))
		c := pairContext{make([]uint64, (k+63)/64), 1, 1}
		if r.q.Index == PairsGuided {
			source.Draw(c.z, rng)
			return c
		}
		p := rng.Float64()
		sampling.NewSource(sampling.Uniform(p, ramp.Order)).Draw(c.z, rng)
		if r.q.Index == PairsFaithful {
			c.alone, c.pair = 4-6*p, 6*p*(1-p)
		}
		return c
	}, nil
}

// ramp returns the inclusion probabilities of [methods.ContextCurve].
func (r *pairsRun) ramp(ctx context.Context) (sampling.Inclusion, error) {
	importance, err := r.g.Importance(ctx)
	if err != nil {
		return sampling.Inclusion{}, err
	}
	ties := r.g.Rand("pairs ties").Perm(r.g.Instances())
	order := core.OrderTies(importance, ties)
	return sampling.Inclusion{
		ByRank: methods.ContextCurve().Ranked(importance, order),
		Order:  order,
	}, nil
}

// choose sets the instances whose pairs are evaluated: those whose mean marginal contribution in
// the contexts is largest. For models without neighbours it is the distance of Combined's score
// from the mean, which takes fewer evaluations.
func (r *pairsRun) choose(ctx context.Context, draw func(t int) pairContext) error {
	g, k := r.g, r.g.Instances()
	if r.q.Among == k {
		r.among = linear.Indices(k)
		return nil
	}
	effects := make([]float64, k)
	if g.Neighbours() == nil {
		a, err := methods.Combined{}.Attribute(ctx, g, []int{r.q.Class})
		if err != nil {
			return err
		}
		for i, v := range a.Scores[0] {
			effects[i] = v - stats.Mean(a.Scores[0])
		}
	} else {
		n := min(r.q.Contexts, sampling.FewestContexts)
		marginals := linear.NewMatrix(n, k)
		err := around(ctx, g, n, 1, func(ctx context.Context, s *surroundings, t int) error {
			return s.marginals(ctx, marginals[t], draw(t).z, r.q.Class)
		})
		if err != nil {
			return err
		}
		for _, row := range marginals {
			linear.AddRow(effects, row)
		}
	}
	_, order := core.ByMagnitude(effects)
	r.among = order[:r.q.Among]
	return nil
}

// marginals writes the marginal contribution of each instance in a context, 0 if it is unknown.
func (s *surroundings) marginals(
	ctx context.Context, dst []float64, z []uint64, class int,
) error {
	f, err := s.odds(ctx, z, class)
	if err != nil {
		return err
	}
	for i := range dst {
		d := f[i] - f[len(dst)]
		if rows.Has(z, i) {
			d = -d
		}
		if !math.IsNaN(d) {
			dst[i] = d
		}
	}
	return nil
}

// Add adds the differences in one context.
func (r *pairsRun) add(
	ctx context.Context, s *surroundings, to *pairSums, c pairContext,
) error {
	f, err := r.toggled(ctx, s, c.z)
	if err != nil {
		return err
	}
	m := len(r.among)
	for a, i := range r.among {
		// Rows of f: the context, then those with one instance toggled, then the pairs.
		whole, one := f[0], f[1+a]
		sign := 1.0
		if rows.Has(c.z, i) {
			sign = -1
		}
		to.alone.Add(a, c.alone*sign*(one-whole))
		for b := a + 1; b < m; b++ {
			at, both := triangle(m, a, b), sign
			if rows.Has(c.z, r.among[b]) {
				both = -sign
			}
			to.pairs.Add(at, c.pair*both*(f[1+m+at]-one-f[1+b]+whole))
		}
	}
	return nil
}

// pairSums holds sums over contexts for the instances alone and for their pairs.
type pairSums struct{ alone, pairs stats.Tally }

// newPairSums returns sums of zeros for m instances.
func newPairSums(
	m int,
) pairSums {
	return pairSums{stats.NewTally(m), stats.NewTally(m * (m - 1) / 2)}
}

// Merge adds the sums of another group.
func (s *pairSums) merge(other pairSums) {
	s.alone.Merge(other.alone)
	s.pairs.Merge(other.pairs)
}
