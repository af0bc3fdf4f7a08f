package methods

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// shapleyGroups is the number of independent samples of contexts, whose scatter gives the standard
// errors.
const shapleyGroups = 32

// marginals doubles the number of contexts until the errors are small.
func (r *shapleyRun) marginals(ctx context.Context) (*core.Attribution, error) {
	ends, err := r.ends(ctx)
	if err != nil {
		return nil, err
	}
	groups := make([]marginalGroup, shapleyGroups)
	for at := range groups {
		rng := r.g.Rand("shapley " + strconv.Itoa(at))
		groups[at] = marginalGroup{rng: rng, size: rng.Float64(),
			sum:   linear.NewMatrix(len(r.classes), r.g.Instances()),
			count: make([]float64, r.g.Instances())}
	}
	for drawn := leastContexts; ; drawn *= 2 {
		before := int(groups[0].pairs) * 2 * shapleyGroups
		if err := r.extend(ctx, groups, drawn-before); err != nil {
			return nil, err
		}
		if a := r.estimate(groups, ends); excess(a) <= 1 || drawn >= mostContexts {
			return a, nil
		}
	}
}

// ends returns the exact marginal contributions of sizes 0 and k - 1 together, (class, instance).
func (r *shapleyRun) ends(ctx context.Context) ([][]float64, error) {
	singles, err := r.g.Singles(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := r.g.Removed(ctx)
	if err != nil {
		return nil, err
	}
	out, without := r.g.ByClass(singles, r.classes), r.g.ByClass(removed, r.classes)
	for n, scores := range out {
		for i := range scores {
			scores[i] += r.full[n] - r.empty[n] - without[n][i]
		}
	}
	return out, nil
}

// A marginalGroup is a sample of contexts, in pairs of complements. The sizes of its pairs are a
// random number and multiples of the golden ratio, so that they are spread evenly however many
// there are.
type marginalGroup struct {
	rng   *rand.Rand
	size  float64     // size of the next pair, as a share
	pairs float64     // pairs drawn
	sum   [][]float64 // (class, instance) of marginal contributions of sizes 1 to k - 2
	count []float64   // (instance) of these
}

// extend draws n more contexts, as many in each group.
func (r *shapleyRun) extend(ctx context.Context, groups []marginalGroup, n int) error {
	if err := r.g.CheckBudget(n * (r.g.Instances() + 1)); err != nil {
		return err
	}
	return r.g.Parallel(ctx, len(groups), func() func(at int) error {
		w := newNeighbourhood(r.g, r.classes)
		return func(at int) error {
			for range n / (2 * len(groups)) {
				if err := groups[at].add(ctx, w); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// add draws a context and its complement and adds the marginal contributions of all instances.
func (m *marginalGroup) add(ctx context.Context, w *neighbourhood) error {
	k := w.g.Instances()
	size := 1 + min(k-2, int(m.size*float64(k-1)))
	m.size += (math.Sqrt(5) - 1) / 2
	m.size -= math.Floor(m.size)
	m.pairs++
	clear(w.context)
	for _, i := range m.rng.Perm(k)[:size] {
		rows.Toggle(w.context, i)
	}
	for range 2 {
		if err := w.evaluate(ctx, w.g.Outputs); err != nil {
			return err
		}
		if err := m.addContext(w); err != nil {
			return err
		}
		rows.Complement(w.context, k)
	}
	return nil
}

// addContext adds the marginal contributions in one context.
func (m *marginalGroup) addContext(w *neighbourhood) error {
	k, size := w.g.Instances(), rows.Overlap(w.context, w.context)
	if err := w.checkFinite(k); err != nil {
		return err
	}
	for i := range k {
		sign := 1.0
		if rows.Has(w.context, i) {
			sign = -1
		}
		if sign < 0 && size == 1 || sign > 0 && size == k-1 {
			continue // exact
		}
		if err := w.checkFinite(i); err != nil {
			return err
		}
		m.count[i]++
		for n, f := range w.f {
			m.sum[n][i] += sign * (f[i] - f[k])
		}
	}
	return nil
}

// estimate returns the values: the mean over the groups, each of which sums to what it should.
func (r *shapleyRun) estimate(groups []marginalGroup, ends [][]float64) *core.Attribution {
	k := r.g.Instances()
	a := &core.Attribution{}
	for n := range r.classes {
		tally := stats.NewTally(k)
		for _, m := range groups {
			scores, sum := make([]float64, k), 0.0
			for i, end := range ends[n] {
				inner := 0.0
				if m.count[i] > 0 {
					inner = m.sum[n][i] / m.count[i]
				}
				scores[i] = (end + float64(k-2)*inner) / float64(k)
				sum += scores[i]
			}
			for i, v := range scores {
				tally.Add(i, v+(r.full[n]-r.empty[n]-sum)/float64(k))
			}
		}
		scores, errors := tally.Means()
		a.Scores, a.StdErr = append(a.Scores, scores), append(a.StdErr, errors)
		a.Freedom = append(a.Freedom, shapleyGroups-1)
	}
	return a
}
