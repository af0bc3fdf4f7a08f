package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
)

// nearlyEqual is the largest distance of nearly equal embeddings, relative to the longer one.
const nearlyEqual = .25

// Groups returns groups of two or more instances with nearly equal embeddings, in ascending order.
// Such instances stand in for each other under every model that reads the embeddings: they can be
// shown as one with a count. [Pairs] has groups of instances that act alike.
//
// Embeddings are centred by their mean over the bag. Two are nearly equal if their distance is at
// most a quarter of the longer one; each two instances of a group are. It returns an
// *UnavailableError for models without embeddings, and the errors of [quota.Memory.Reserve].
func Groups(ctx context.Context, g *core.Game) ([][]int, error) {
	alike, release, err := likeness(ctx, g)
	if err != nil {
		return nil, err
	}
	defer release()
	return groupsOf(ctx, g.Instances(), alike)
}

// likeness returns whether two instances have nearly equal embeddings, as [Groups] defines it, and
// what releases the memory that this takes. Errors are those of Groups.
func likeness(
	ctx context.Context, g *core.Game,
) (alike func(i, j int) bool, release func(), err error) {
	e, ok := g.Evaluator().(core.Embedder)
	if !ok {
		return nil, nil, noEmbeddings()
	}
	values, width, err := e.Embeddings(ctx)
	if err != nil {
		return nil, nil, err
	}
	k := g.Instances()
	center := make([]float64, width)
	for at, v := range values {
		center[at%width] += float64(v) / float64(k)
	}
	squares := make([]float64, k)
	for at, v := range values {
		d := float64(v) - center[at%width]
		squares[at/width] += d * d
	}
	return func(i, j int) bool {
		limit := nearlyEqual * nearlyEqual * math.Max(squares[i], squares[j])
		// Lengths differ by at most the distance, which decides most pairs.
		if d := math.Sqrt(squares[i]) - math.Sqrt(squares[j]); d*d > limit {
			return false
		}
		distance := 0.0 // centred or not, distances are the same
		other := values[j*width:]
		for at, v := range values[i*width : (i+1)*width] {
			d := float64(v) - float64(other[at])
			if distance += d * d; distance > limit {
				return false
			}
		}
		return true
	}, func() { quota.MemoryOf(ctx).Release(4 * int64(len(values))) }, nil
}

// groupsOf returns the groups of two or more of n things, each two of which are alike. A thing
// joins the first group that it fits. It returns the cause if ctx ends.
func groupsOf(ctx context.Context, n int, alike func(i, j int) bool) ([][]int, error) {
	var groups [][]int
	for i := range n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at := slices.IndexFunc(groups, func(group []int) bool {
			return !slices.ContainsFunc(group, func(j int) bool { return !alike(i, j) })
		})
		if at < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[at] = append(groups[at], i)
		}
	}
	return slices.DeleteFunc(groups, func(group []int) bool { return len(group) < 2 }), nil
}
