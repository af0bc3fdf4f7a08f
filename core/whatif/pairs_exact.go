package whatif

import (
	"context"
	"math"
	"math/bits"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/core/quota"
)

// enumerate computes interactions from the values of all coalitions.
func (r *pairsRun) enumerate(ctx context.Context) error {
	k := r.g.Instances()
	memory := quota.MemoryOf(ctx)
	held := int64(1<<k) * int64(16+8*r.g.Classes())
	if err := memory.Reserve(held, "the values of all coalitions"); err != nil {
		return err
	}
	defer memory.Release(held)
	f, err := allOdds(ctx, r.g, r.q.Class)
	if err != nil {
		return err
	}
	w, err := r.weights(ctx)
	if err != nil {
		return err
	}
	r.among, r.alone = linear.Indices(k), make([]float64, k)
	r.values = make([]float64, k*(k-1)/2)
	for i := range k {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.alone[i] = mainEffect(f, k, i, w)
		for j := i + 1; j < k; j++ {
			r.values[triangle(k, i, j)] = interaction(f, k, i, j, w)
		}
	}
	if stats.NonFinite(r.alone) < 0 && stats.NonFinite(r.values) < 0 {
		return nil
	}
	return r.noContext(ctx, f)
}

// noContext returns the *NonFiniteError of the first coalition without an answer, where a pair or
// an instance has no context with answers.
func (r *pairsRun) noContext(ctx context.Context, f []float64) error {
	z, answers := core.NewCoalitions(r.g.Instances(), 1), core.Unanswered{What: "coalitions"}
	s := newSurroundings(r.g)
	for number, v := range f {
		size := bits.OnesCount(uint(number))
		if size == 0 || !s.known(size) {
			continue
		}
		if answers.Of++; !math.IsNaN(v) {
			continue
		}
		if answers.Missing++; answers.Missing == 1 {
			z.AppendEmpty()[0] = uint64(number)
		}
	}
	return r.g.TooFewAnswers(ctx, z, answers)
}

// contextWeights are the weights of contexts in the two means, by the numbers of their coalitions.
type contextWeights struct {
	alone func(s, i int) float64    // weight of a context s without i
	pair  func(s, i, j int) float64 // weight of a context s without i and j
}

// mainEffect returns the weighted mean of f(S + i) - f(S) over contexts whose values are known.
func mainEffect(f []float64, k, i int, w contextWeights) float64 {
	sum, total := 0.0, 0.0
	for rest := range 1 << (k - 1) {
		s := gap(rest, i)
		d := f[s|1<<i] - f[s]
		if math.IsNaN(d) {
			continue
		}
		weight := w.alone(s, i)
		sum += weight * d
		total += weight
	}
	return sum / total
}

// interaction returns the weighted mean of the second difference of i < j over contexts whose
// values are known.
func interaction(f []float64, k, i, j int, w contextWeights) float64 {
	sum, total := 0.0, 0.0
	for rest := range 1 << (k - 2) {
		s := gap(gap(rest, i), j)
		d := f[s|1<<i|1<<j] - f[s|1<<i] - f[s|1<<j] + f[s]
		if math.IsNaN(d) {
			continue
		}
		weight := w.pair(s, i, j)
		sum += weight * d
		total += weight
	}
	return sum / total
}

// gap moves the bits of s from i on up by one, so that bit i is 0.
func gap(s, i int) int {
	low := s & (1<<i - 1)
	return (s-low)<<1 | low
}

// exactChunk is the number of coalitions that a worker evaluates at a time.
const exactChunk = 1024

// allOdds returns f of all coalitions, by their numbers. Those without a value are NaN. Small bags
// keep the values in the cache; 2^20 masks there would take ten times as much memory as values.
func allOdds(ctx context.Context, g *core.Game, class int) ([]float64, error) {
	k, c := g.Instances(), g.Classes()
	s := newSurroundings(g)
	f := make([]float64, 1<<k)
	z, at := core.NewCoalitions(k, 0), []int{}
	take := func() error {
		values, err := onceEach(ctx, g, z)
		if err != nil {
			return err
		}
		for n, number := range at {
			f[number] = values[n*c+class]
		}
		z, at = core.NewCoalitions(k, exactChunk), at[:0]
		return nil
	}
	for number := range f {
		size := bits.OnesCount(uint(number))
		switch {
		case size == 0 && s.empty != nil:
			f[0] = s.empty[class]
		case size == 0 || !s.known(size):
			f[number] = math.NaN()
		default:
			z.AppendEmpty()[0] = uint64(number)
			at = append(at, number)
		}
		if len(at) == exactChunk*g.Options().Workers {
			if err := take(); err != nil {
				return nil, err
			}
		}
	}
	if err := take(); err != nil {
		return nil, err
	}
	g.LogOdds(f)
	return f, nil
}

// onceEach returns the values of coalitions, shaped (coalition, class), which are not expected to
// be needed again. Only those of bags of 11 to 1024 instances under models without neighbours, and
// of bags of up to 10, are cached: their evaluations are expensive, or few.
func onceEach(ctx context.Context, g *core.Game, z *core.Coalitions) ([]float64, error) {
	k := g.Instances()
	if k <= sampling.MostEnumerated || k <= mostCachedPairs && g.Neighbours() == nil {
		if err := holdValues(ctx, g, z); err != nil {
			return nil, err
		}
		return g.Answers(ctx, z)
	}
	if z.Len() == 0 {
		return nil, nil
	}
	return g.AnswersOnce(ctx, z)
}

// holdValues reserves the memory of the cached values of coalitions until the computation ends.
func holdValues(ctx context.Context, g *core.Game, z *core.Coalitions) error {
	const row = 64 // numbers and states of a row, and its entry in the map
	each := int64(row + 8*((z.Instances()+63)/64) + 8*g.Classes())
	return quota.MemoryOf(ctx).Reserve(int64(z.Len())*each, "the values of changed bags")
}

// weights returns the weights of contexts. With p from 0 to 1, drawing each other instance with
// probability p gives a context of s instances the probability p^s (1 - p)^(n - s). The indices
// weigh p by
//
//	shapley    1        1
//	faithful   4 - 6p   6 p (1 - p)     for instances alone, and for pairs
//
// and integrate over p. Integrals of polynomials in p and 1 - p are beta functions.
func (r *pairsRun) weights(ctx context.Context) (contextWeights, error) {
	if r.q.Index == PairsGuided {
		return r.guidedWeights(ctx)
	}
	k := r.g.Instances()
	alone, pair := make([]float64, k), make([]float64, k)
	for s := range k {
		alone[s], pair[s] = beta(s+1, k-s), beta(s+1, k-1-s)
		if r.q.Index == PairsFaithful {
			alone[s], pair[s] = 4*beta(s+1, k-s)-6*beta(s+2, k-s), 6*beta(s+2, k-s)
		}
	}
	return contextWeights{
		func(s, _ int) float64 { return alone[bits.OnesCount(uint(s))] },
		func(s, _, _ int) float64 { return pair[bits.OnesCount(uint(s))] },
	}, nil
}

// beta returns the beta function B(a, b) of positive integers, and 0 if one is not positive.
func beta(a, b int) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	x, _ := math.Lgamma(float64(a))
	y, _ := math.Lgamma(float64(b))
	sum, _ := math.Lgamma(float64(a + b))
	return math.Exp(x + y - sum)
}

// guidedWeights returns the probabilities of contexts under the ramp.
func (r *pairsRun) guidedWeights(ctx context.Context) (contextWeights, error) {
	ramp, err := r.ramp(ctx)
	if err != nil {
		return contextWeights{}, err
	}
	p := ramp.Probabilities()
	all := []float64{1} // probability of each coalition of the instances so far
	for _, q := range p {
		n := len(all)
		all = append(all, all...)
		for s := range n {
			all[s] *= 1 - q
			all[n+s] *= q
		}
	}
	return contextWeights{
		func(s, i int) float64 { return all[s] / (1 - p[i]) },
		func(s, i, j int) float64 { return all[s] / ((1 - p[i]) * (1 - p[j])) },
	}, nil
}
