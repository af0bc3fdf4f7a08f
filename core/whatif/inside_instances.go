package whatif

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
)

// countTo returns a function that adds numbers and reports the sums to progress, which may be nil.
func countTo(progress func(done, total int), total int) func(n int) {
	done := 0
	return func(n int) {
		if done += n; progress != nil {
			progress(done, max(done, total))
		}
	}
}

// instances returns those whose cells are hidden: the strongest one first.
func (q InsideQuestion) instances(ctx context.Context, g *core.Game) ([]int, error) {
	if q.Strongest == 0 {
		return []int{q.Instance}, nil
	}
	alone, err := g.SingleAnswers(ctx)
	if err != nil {
		return nil, err
	}
	scores := linear.Column(alone, g.Classes(), q.Class)
	order := linear.Indices(g.Instances())
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order[:min(q.Strongest, len(order))], nil
}

// contexts returns the contexts of the other instances, which lack some: guided ones that the model
// takes with these, or all others. A model that takes no smaller bag has all others.
func (q InsideQuestion) contexts(
	ctx context.Context, g *core.Game, instances []int,
) ([][]uint64, error) {
	k := g.Instances()
	all := make([]uint64, (k+63)/64)
	rows.Fill(all, k)
	for _, i := range instances {
		rows.Toggle(all, i)
	}
	if q.Fixed || k == len(instances) || g.Reducible("") != nil {
		return [][]uint64{all}, nil
	}
	ramp, err := (&pairsRun{g: g}).ramp(ctx)
	if err != nil {
		return nil, err
	}
	source := sampling.NewSource(ramp)
	var out [][]uint64
	for t := range insideContexts {
		z := make([]uint64, len(all))
		source.Draw(z, g.Rand("inside context "+strconv.Itoa(t)))
		for _, i := range instances {
			if rows.Has(z, i) {
				rows.Toggle(z, i)
			}
		}
		if g.Takes(rows.Overlap(z, z) + len(instances)) {
			out = append(out, z)
		}
	}
	if len(out) == 0 {
		out = append(out, all)
	}
	return out, nil
}
