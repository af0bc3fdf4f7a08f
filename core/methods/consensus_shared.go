package methods

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// contexts estimates marginal contributions from contexts that all instances share. Context t
// belongs to group t mod G. Each group adds up its own contexts in order, so that the number of
// workers has no effect, and a jackknife that leaves out one group at a time gives standard errors,
// of scores and of their differences.
//
// An instance is skipped in a context without which fewer instances than the model takes would
// remain. Each instance therefore has its own number of contexts.
type contexts struct {
	name   string
	drawn  int // contexts
	source *sampling.Source
	groups []contextGroup
}

// A contextGroup holds the sums of a group's contexts.
type contextGroup struct {
	sum   [][]float64 // (class, instance) marginal contributions
	count []int32     // (instance) contexts that the instance was not skipped in
}

// contextGroups returns G for k instances and so many classes: one context a group, so that
// standard errors have most degrees of freedom, and fewer groups where these would take more than
// 130 MB.
func contextGroups(k, classes int) int {
	if k*classes <= 1<<16 {
		return sampling.FewestContexts
	}
	return 16
}

// shared is the estimator of models that implement [core.NeighbourEvaluator].
type shared struct {
	g       *core.Game
	ev      core.NeighbourEvaluator
	classes []int
}

// estimate implements estimator.
func (s *shared) estimate(
	ctx context.Context, name string, p sampling.Inclusion, n int,
) (*estimate, error) {
	k := s.g.Instances()
	groups := make([]contextGroup, min(contextGroups(k, len(s.classes)), n))
	c := &contexts{name: name, source: sampling.NewSource(p), groups: groups}
	for at := range c.groups {
		c.groups[at] = contextGroup{linear.NewMatrix(len(s.classes), k), make([]int32, k)}
	}
	e := &estimate{contexts: c, freedom: float64(len(c.groups) - 1)}
	return e, s.extend(ctx, e, n)
}

// extend draws further contexts for an estimate, until it has n.
func (s *shared) extend(ctx context.Context, e *estimate, n int) error {
	c := e.contexts
	if err := s.g.CheckBudget((n - c.drawn) * (s.g.Instances() + 1)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	groups := len(c.groups)
	err := s.g.Parallel(ctx, groups, func() func(at int) error {
		w := s.worker()
		return func(at int) error {
			first := c.drawn + (at-c.drawn%groups+groups)%groups
			for t := first; t < n; t += groups {
				rng := s.g.Rand("consensus " + c.name + " " + strconv.Itoa(t))
				if err := w.add(ctx, &c.groups[at], c.source, rng); err != nil {
					cancel(err) // the other groups stop at their next context
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	c.drawn = n
	e.phi, e.squares = c.moments()
	return nil
}

// A contextWorker evaluates one context at a time.
type contextWorker struct {
	*shared
	context []uint64
	values  []float64   // (neighbour, class of the model)
	odds    [][]float64 // (class, neighbour) f
	signs   []float64   // (instance) 1 if the context lacks it, -1 if it has it
}

// worker returns a contextWorker with its own memory, for one goroutine.
func (s *shared) worker() *contextWorker {
	k := s.g.Instances()
	return &contextWorker{
		shared: s, context: make([]uint64, (k+63)/64), values: make([]float64, (k+1)*s.g.Classes()),
		odds: linear.NewMatrix(len(s.classes), k+1), signs: make([]float64, k),
	}
}

// Add draws one context and adds the marginal contributions of all instances in it to a group.
func (w *contextWorker) add(
	ctx context.Context, group *contextGroup, source *sampling.Source, rng *rand.Rand,
) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	g, k, least := w.g, w.g.Instances(), w.g.LeastBag()
	source.Draw(w.context, rng)
	size := rows.Overlap(w.context, w.context)
	if size < least {
		g.ReportEvaluations(k + 1)
		return nil
	}
	if err := w.ev.EvaluateNeighbours(ctx, w.values, w.context); err != nil {
		return err
	}
	g.Odds(w.odds, w.values, w.classes)
	for i := range w.signs {
		w.signs[i] = 1
		if w.context[i/64]>>(i%64)&1 != 0 {
			w.signs[i] = -1
		}
		if size == least && w.signs[i] < 0 { // skipped
			for _, odds := range w.odds {
				odds[i] = odds[k]
			}
			continue
		}
		group.count[i]++
	}
	if err := w.finite(); err != nil {
		return err
	}
	for n, odds := range w.odds {
		sum, base := group.sum[n], odds[k]
		for i, sign := range w.signs {
			sum[i] += sign * (odds[i] - base)
		}
	}
	g.ReportEvaluations(k + 1)
	return nil
}

// finite returns a *NonFiniteError if f of the context or of a neighbour is not a number.
func (w *contextWorker) finite() error {
	k, odds := w.g.Instances(), w.odds[0]
	if math.IsNaN(odds[k]) {
		return w.nonFinite(k, stats.NonFinite(w.row(k)))
	}
	for i, v := range odds {
		if math.IsNaN(v) {
			return w.nonFinite(i, stats.NonFinite(w.row(i)))
		}
	}
	return nil
}

// row returns the scores of neighbour i.
func (w *contextWorker) row(i int) []float64 {
	c := w.g.Classes()
	return w.values[i*c : (i+1)*c]
}

// NonFinite returns the error of neighbour i, whose score of a class is NaN or infinite.
func (w *contextWorker) nonFinite(i, class int) error {
	k := w.g.Instances()
	z := core.NewCoalitions(k, 1)
	z.Append(w.context)
	if i < k {
		z.Row(0)[i/64] ^= 1 << (i % 64)
	}
	return &core.NonFiniteError{Coalition: z.String(0), Class: class, Value: w.row(i)[class]}
}

// moments returns the mean marginal contributions and their squared standard errors, shaped (class,
// instance). The mean is 0 for an instance that was always skipped, the error +Inf where one group
// has all contexts of an instance.
func (c *contexts) moments() (means, squares [][]float64) {
	k, classes, groups := len(c.groups[0].count), len(c.groups[0].sum), float64(len(c.groups))
	means, squares = linear.NewMatrix(classes, k), linear.NewMatrix(classes, k)
	contexts := make([]float64, k)
	for _, g := range c.groups {
		for i, n := range g.count {
			contexts[i] += float64(n)
		}
	}
	for class, phi := range means {
		for _, g := range c.groups {
			linear.AddRow(phi, g.sum[class])
		}
		for i, n := range contexts {
			if n > 0 {
				phi[i] /= n
			}
		}
	}
	// Without group g the mean differs by (n_g phi - sum_g) / (n - n_g): the variance of these
	// differences.
	shifts := linear.NewMatrix(classes, k)
	left := make([]float64, k) // 1 / (n - n_g)
	for _, g := range c.groups {
		for i, n := range g.count {
			left[i] = 1 / (contexts[i] - float64(n))
		}
		for class, sums := range g.sum {
			phi, shift, square := means[class], shifts[class], squares[class]
			for i, v := range sums {
				d := (float64(g.count[i])*phi[i] - v) * left[i]
				shift[i] += d
				square[i] += d * d
			}
		}
	}
	for class, square := range squares {
		for i, d := range shifts[class] {
			square[i] = (groups - 1) * max(0, square[i]-d*d/groups) / groups
			if math.IsNaN(square[i]) { // one group has all contexts
				square[i] = math.Inf(1)
			}
		}
	}
	return means, squares
}

// Total returns the sum of an instance's marginal contributions to a class, and the number of its
// contexts.
func (c *contexts) total(class, i int) (sum, count float64) {
	for _, g := range c.groups {
		sum += g.sum[class][i]
		count += float64(g.count[i])
	}
	return sum, count
}

// difference returns the squared standard error of a phi_i + b phi_j for one class.
func (c *contexts) difference(class, i int, a float64, j int, b float64) float64 {
	without, other := make([]float64, len(c.groups)), make([]float64, len(c.groups))
	if !c.jackknife(without, class, i, a) || !c.jackknife(other, class, j, b) {
		return math.Inf(1)
	}
	for at, v := range other {
		without[at] += v
	}
	return jackknifeSquare(without)
}

// jackknife writes factor times an instance's score without each group in turn. It returns false if
// one group has all contexts of the instance.
func (c *contexts) jackknife(without []float64, class, i int, factor float64) bool {
	sum, count := c.total(class, i)
	for at, g := range c.groups {
		left := count - float64(g.count[i])
		if left <= 0 {
			return false
		}
		without[at] = factor * (sum - g.sum[class][i]) / left
	}
	return true
}

// jackknifeSquare returns the squared standard error of a score from its values without each group.
func jackknifeSquare(without []float64) float64 {
	return float64(len(without)-1) * stats.Variance(without)
}
