package core

import (
	"context"
	"slices"
)

// Singles returns F({x_i}) for every instance, shaped (instance, class). If the smallest bag of the
// model has m > 1 instances, each instance is scored together with the m - 1 least important ones,
// as companions.go defines. If the bag has no more than m instances, Singles returns an
// *UnavailableError.
func (g *Game) Singles(ctx context.Context) ([]float64, error) {
	if g.task.LeastBag() > 1 {
		return g.accompanied(ctx)
	}
	return g.allInstances(ctx, singlesTable)
}

// Removed returns F(X without x_i) for every instance, shaped (instance, class), for k > 1. It
// returns an *UnavailableError if the model takes no smaller bag.
func (g *Game) Removed(ctx context.Context) ([]float64, error) {
	if err := g.Removable("one_removed"); err != nil {
		return nil, err
	}
	return g.allInstances(ctx, removedTable)
}

// allInstances returns the rows of an instance table, or a *NonFiniteError for the first that is
// not finite.
func (g *Game) allInstances(ctx context.Context, table int) ([]float64, error) {
	values, err := g.instances(ctx, table, false)
	if err != nil {
		return nil, err
	}
	return values, g.checkFinite(values, func(i int) string {
		return InstanceCoalitions(g.task.Instances, table == removedTable, i, i+1).String(0)
	})
}

// chunkCoalitions is the number of coalitions that large bags evaluate at a time.
const chunkCoalitions = 1024

// valuesInChunks returns the values of n coalitions, shaped (coalition, class). It evaluates
// chunkCoalitions at a time, because the masks of all of them may need too much memory. coalitions
// returns those from lo up to hi.
func (g *Game) valuesInChunks(
	ctx context.Context, n int, partial bool, coalitions func(lo, hi int) *Coalitions,
) ([]float64, error) {
	out := make([]float64, 0, n*g.task.Classes)
	for lo := 0; lo < n; lo += chunkCoalitions {
		values, err := g.values(ctx, coalitions(lo, min(lo+chunkCoalitions, n)), partial)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return out, nil
}

// InstanceCoalitions returns the coalitions {x_i}, or with removed X without x_i, for i from lo up
// to hi.
func InstanceCoalitions(k int, removed bool, lo, hi int) *Coalitions {
	z := NewCoalitions(k, hi-lo)
	for i := lo; i < hi; i++ {
		if removed {
			z.AppendWithout(i)
		} else {
			z.AppendMembers(i)
		}
	}
	return z
}

// NeighbourCoalitions returns the k neighbours of coalition z of k instances, and then z itself:
// what EvaluateNeighbours evaluates. One of them may be empty.
func NeighbourCoalitions(k int, z []uint64) *Coalitions {
	out := NewCoalitions(k, k+1)
	for i := range k + 1 {
		out.Append(z)
		if i < k {
			out.Row(i)[i/64] ^= 1 << (i % 64)
		}
	}
	return out
}

// instances returns the rows of an instance table, shaped (instance, class). It evaluates the
// missing rows range by range, by index if the evaluator can. With partial, scores that are not
// finite are no error.
func (g *Game) instances(ctx context.Context, table int, partial bool) ([]float64, error) {
	k := g.task.Instances
	if _, ok := g.ev.(InstanceEvaluator); !ok || k <= 2 {
		return g.valuesInChunks(ctx, k, partial, func(lo, hi int) *Coalitions {
			return InstanceCoalitions(k, table == removedTable, lo, hi)
		})
	}
	for lo := 0; lo < k; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		from, to := g.cache.gap(table, lo, chunkCoalitions*g.options.Workers)
		if from < to {
			if err := g.fill(ctx, table, from, to, partial); err != nil {
				return nil, err
			}
		}
		lo = to
	}
	t := &g.cache.tables[table]
	for i := range t.user {
		t.user[i] = g.user
	}
	return slices.Clone(t.values), nil
}

// fill evaluates and stores the rows [from, to) of a table.
func (g *Game) fill(ctx context.Context, table, from, to int, partial bool) error {
	ev, without := g.ev.(InstanceEvaluator), table == removedTable
	values, err := g.spend(ctx, workload{to - from,
		func(ctx context.Context, dst []float64, lo, hi int) error {
			return ev.EvaluateInstances(ctx, dst, without, from+lo, from+hi)
		}, func(j int) string {
			return InstanceCoalitions(g.task.Instances, without, from+j, from+j+1).String(0)
		}, partial})
	if err != nil {
		g.done = g.Evaluations()
		return err
	}
	slots := make([]slot, to-from)
	for i := range slots {
		slots[i] = slot{table, from + i}
	}
	g.cache.store(slots, values)
	return nil
}
