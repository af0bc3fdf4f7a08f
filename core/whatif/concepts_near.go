package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
)

// MostGroups is the number of groups that LargestGroups returns at most.
const MostGroups = 8

// LargestGroups returns the largest of Groups, at most MostGroups. Errors are those of Groups.
func LargestGroups(ctx context.Context, g *core.Game) ([][]int, error) {
	groups, err := Groups(ctx, g)
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	return groups[:min(len(groups), MostGroups)], err
}

// Nearest returns for each set of marked instances the instances that the model encodes as these
// (METHODS section 7), ascending. An instance is at most as far from the mean of the marked ones as
// the farthest of these is from the mean of the others; near a single one are those with which it
// would form one of [Groups]. An instance that is near several belongs to the nearest one, relative
// to these limits. Errors are those of Groups. Marked instances must exist.
func Nearest(ctx context.Context, g *core.Game, marked [][]int) ([][]int, error) {
	e, ok := g.Evaluator().(core.Embedder)
	if !ok {
		return nil, noEmbeddings()
	}
	values, width, err := e.Embeddings(ctx)
	if err != nil {
		return nil, err
	}
	defer quota.MemoryOf(ctx).Release(4 * int64(len(values)))
	row := func(i int) []float32 { return values[i*width : (i+1)*width] }
	of, k := make([]prototype, len(marked)), g.Instances()
	centre := meanOf(row, k, func(n int) int { return n })
	for n, list := range marked {
		of[n] = newPrototype(row, list, centre)
	}
	out := make([][]int, len(marked))
	for i := range k {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		best, least := -1, math.Inf(1)
		for n, p := range of {
			d := distance(row(i), p.mean)
			limit := p.limit
			if len(marked[n]) == 1 {
				limit = max(limit, nearlyEqual*distance(row(i), centre))
			}
			if slices.Contains(marked[n], i) {
				best = n
				break
			}
			if d <= limit && d < least*limit {
				best, least = n, d/limit
			}
		}
		if best >= 0 {
			out[best] = append(out[best], i)
		}
	}
	return out, nil
}

// A prototype is the mean of marked instances, and the distance up to which others are near.
type prototype struct {
	mean  []float64
	limit float64
}

// newPrototype returns the prototype of marked instances of a bag with a centre.
func newPrototype(row func(i int) []float32, marked []int, centre []float64) prototype {
	p := prototype{mean: meanOf(row, len(marked), func(n int) int { return marked[n] })}
	if len(marked) == 1 {
		p.limit = nearlyEqual * distance(row(marked[0]), centre)
		return p
	}
	// Without i, the mean of n is as far from i as the mean with i, times n / (n - 1).
	n := float64(len(marked))
	for _, i := range marked {
		p.limit = max(p.limit, distance(row(i), p.mean)*n/(n-1))
	}
	return p
}

// meanOf returns the mean of n embeddings.
func meanOf(row func(i int) []float32, n int, at func(n int) int) []float64 {
	mean := make([]float64, len(row(at(0))))
	for m := range n {
		for c, v := range row(at(m)) {
			mean[c] += float64(v) / float64(n)
		}
	}
	return mean
}

// distance returns the Euclidean distance of an embedding from a point.
func distance(row []float32, from []float64) float64 {
	sum := 0.0
	for c, v := range row {
		d := float64(v) - from[c]
		sum += d * d
	}
	return math.Sqrt(sum)
}

// noEmbeddings is the error of a model without embeddings.
func noEmbeddings() error {
	return &core.UnavailableError{Reason: "the model returns no embeddings of instances"}
}
