package methods

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// shapleyGroups is the number of independent samples of contexts, whose scatter gives the standard
// errors.
const shapleyGroups = 32

// marginals doubles the number of contexts until the errors are small.
func (r *shapleyRun) marginals(ctx context.Context) (*core.Attribution, error) {
	sizes := newContextSizes(r.g.Instances())
	ends, err := r.ends(ctx, sizes.least)
	if err != nil {
		return nil, err
	}
	groups := make([]marginalGroup, shapleyGroups)
	for at := range groups {
		rng := r.g.Rand("shapley " + strconv.Itoa(at))
		groups[at] = marginalGroup{sizes: sizes, rng: rng, size: rng.Float64(),
			sum:   linear.NewMatrix(len(r.classes), r.g.Instances()),
			count: make([]float64, r.g.Instances())}
	}
	most := mostContexts
	if sizes.least > 1 {
		most -= leastContexts // ends has evaluated as many, or fewer
	}
	for drawn := leastContexts; ; drawn = min(2*drawn, most) {
		before := int(groups[0].pairs) * 2 * shapleyGroups
		if err := r.extend(ctx, groups, drawn-before); err != nil {
			return nil, err
		}
		if a := r.estimate(groups, ends, sizes); excess(a) <= 1 || drawn >= most {
			return a, nil
		}
	}
}

// mostListed is the largest bag of which all contexts of one instance and of all but one are
// evaluated: as many as the first estimate draws.
const mostListed = leastContexts / 2

// contextSizes is how often contexts have a size: in proportion to 1 / sqrt(s (k - s)), as the
// pairs of the regression, because effects change most between the smallest coalitions.
type contextSizes struct {
	least int       // smallest size that is drawn; the largest is k - least
	upTo  []float64 // (size - least) probability of sizes up to this one
	// (size of S) reciprocal of how often a context tells f(S + i) - f(S) of an instance i; 0 for
	// the sizes below least and from k - least on, which are exact
	weight []float64
}

// newContextSizes returns the sizes of contexts of a bag of k instances.
func newContextSizes(k int) *contextSizes {
	d := &contextSizes{least: 1, weight: make([]float64, k)}
	if k <= mostListed {
		d.least = 2
	}
	share, total := make([]float64, k+1), 0.0 // (size)
	for s := d.least; s <= k-d.least; s++ {
		share[s] = 1 / math.Sqrt(float64(s)*float64(k-s))
		total += share[s]
		d.upTo = append(d.upTo, total)
	}
	linear.Divide(d.upTo, total)
	for s := d.least; s < k-d.least; s++ {
		// S is a context without i, or S + i is one with it.
		told := share[s]*float64(k-s) + share[s+1]*float64(s+1)
		d.weight[s] = total * float64(k) / told
	}
	return d
}

// of returns the size for a number from 0 to 1.
func (d *contextSizes) of(u float64) int {
	at, _ := slices.BinarySearch(d.upTo, u)
	return d.least + min(at, len(d.upTo)-1)
}

// ends returns the sums of the exact marginal contributions, (class, instance): those to coalitions
// of fewer than least instances, and of k - least or more.
func (r *shapleyRun) ends(ctx context.Context, least int) ([][]float64, error) {
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
	if least > 1 {
		err = r.addListed(ctx, out)
	}
	return out, err
}

// addListed adds the means of the marginal contributions to coalitions of 1 and of k - 2 instances.
func (r *shapleyRun) addListed(ctx context.Context, to [][]float64) error {
	k := r.g.Instances()
	if err := r.g.CheckBudget(2 * k * (k + 1)); err != nil {
		return err
	}
	gains := make([][][]float64, 2*k) // (context, class, instance)
	err := r.g.Parallel(ctx, len(gains), func() func(at int) error {
		w := newNeighbourhood(r.g, r.classes)
		return func(at int) error {
			clear(w.context)
			rows.Toggle(w.context, at/2)
			if at%2 == 1 {
				rows.Complement(w.context, k)
			}
			if err := w.evaluate(ctx, w.g.Outputs); err != nil {
				return err
			}
			gains[at] = linear.NewMatrix(len(r.classes), k)
			sign := 1 - 2*float64(at%2)
			for i := range k {
				if i == at/2 {
					continue
				}
				if err := w.checkFinite(i); err != nil {
					return err
				}
				for n, f := range w.f {
					gains[at][n][i] = sign * (f[i] - f[k])
				}
			}
			return nil
		}
	})
	for _, of := range gains {
		for n, row := range of {
			for i, v := range row {
				to[n][i] += v / float64(k-1)
			}
		}
	}
	return err
}

// A marginalGroup is a sample of contexts, in pairs of complements. The sizes of its pairs are
// those of a random number and multiples of the golden ratio, so that they are spread evenly
// however many there are.
type marginalGroup struct {
	sizes *contextSizes
	rng   *rand.Rand
	size  float64     // share of the contexts with at most the size of the next pair
	pairs float64     // pairs drawn
	sum   [][]float64 // (class, instance) of weighted marginal contributions
	count []float64   // (instance) sum of their weights
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
	size := m.sizes.of(m.size)
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
		sign, others := 1.0, size
		if rows.Has(w.context, i) {
			sign, others = -1, size-1
		}
		weight := m.sizes.weight[others]
		if weight == 0 {
			continue // exact
		}
		if err := w.checkFinite(i); err != nil {
			return err
		}
		m.count[i] += weight
		for n, f := range w.f {
			m.sum[n][i] += weight * sign * (f[i] - f[k])
		}
	}
	return nil
}

// estimate returns the values: the exact sums and, for the other sizes, the mean over all groups.
// What the scores miss of their sum is divided equally. The groups are independent, so that their
// influences on the scores give the errors.
func (r *shapleyRun) estimate(
	groups []marginalGroup, ends [][]float64, sizes *contextSizes,
) *core.Attribution {
	k := r.g.Instances()
	count := make([]float64, k)
	for _, m := range groups {
		linear.AddRow(count, m.count)
	}
	a := &core.Attribution{}
	influence := make([]float64, len(groups)*k)
	loss := math.Sqrt(shapleyGroups / (shapleyGroups - 1.0)) // deviations are from the groups' mean
	for n := range r.classes {
		sum := make([]float64, k)
		for _, m := range groups {
			linear.AddRow(sum, m.sum[n])
		}
		scores, drawn := make([]float64, k), float64(k-2*sizes.least)/float64(k)
		for i, end := range ends[n] {
			sum[i] /= count[i]
			scores[i] = end/float64(k) + drawn*sum[i]
		}
		shift(scores, r.full[n]-r.empty[n])
		for g, m := range groups {
			row := influence[g*k : (g+1)*k]
			for i := range row {
				row[i] = loss * drawn * (m.sum[n][i] - sum[i]*m.count[i]) / count[i]
			}
			shift(row, 0)
		}
		errors := make([]float64, k)
		a.Freedom = append(a.Freedom, setErrors(errors, influence, shapleyGroups-1))
		a.Scores, a.StdErr = append(a.Scores, scores), append(a.StdErr, errors)
	}
	return a
}

// shift adds the same number to all of a list, so that it has the given sum.
func shift(list []float64, sum float64) {
	v := (sum - linear.Total(list)) / float64(len(list))
	for i := range list {
		list[i] += v
	}
}
