package core

import (
	"context"
	"math"
	"sync"
)

// spend evaluates coalitions that are not known, if the budget reaches.
func (g *Game) spend(ctx context.Context, z *Coalitions) ([]float64, error) {
	if b := g.options.Budget; b > 0 && g.memory.count+z.Len() > b {
		return nil, &BudgetError{Spent: g.memory.count, Wanted: z.Len(), Budget: b}
	}
	values := make([]float64, z.Len()*g.task.Classes)
	return values, g.evaluate(ctx, values, z)
}

// batch is how many coalitions an evaluator gets at once: enough to keep it busy, few enough for
// progress to move and for workers to end together.
const batch = 64

// evaluate scores coalitions in batches, on all workers.
func (g *Game) evaluate(ctx context.Context, values []float64, z *Coalitions) error {
	n, c := z.Len(), g.task.Classes
	size := min(batch, (n+g.options.Workers-1)/g.options.Workers)
	batches := (n + size - 1) / size

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg   sync.WaitGroup
		next = make(chan int)
	)
	for range min(g.options.Workers, batches) {
		wg.Go(func() {
			for b := range next {
				lo, hi := b*size, min((b+1)*size, n)
				if err := g.evaluateBatch(ctx, values[lo*c:hi*c], z.Slice(lo, hi)); err != nil {
					cancel(err)
				}
			}
		})
	}
feed:
	for b := range batches {
		select {
		case next <- b:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

func (g *Game) evaluateBatch(ctx context.Context, values []float64, z *Coalitions) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := g.ev.Evaluate(ctx, values, z); err != nil {
		return err
	}
	c := g.task.Classes
	for j := range z.Len() {
		row := values[j*c : (j+1)*c]
		g.task.Scale.convert(row, g.output)
		for class, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &NonFiniteError{Coalition: z.String(j), Class: class, Value: v}
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += z.Len()
	if g.options.Progress != nil {
		g.options.Progress(g.done, max(g.total, g.done))
	}
	return nil
}

// chunk is how many masks of large bags exist at a time.
const chunk = 1024

// each asks for coalitions 0..k-1 that mask makes, a chunk at a time, and returns their values, shaped
// (instance, class).
func (g *Game) each(ctx context.Context, mask func(z *Coalitions, i int)) ([]float64, error) {
	k := g.Instances()
	out := make([]float64, 0, k*g.task.Classes)
	z := NewCoalitions(k, min(k, chunk))
	for i := 0; i < k; i += chunk {
		z.bits = z.bits[:0]
		for l := i; l < min(i+chunk, k); l++ {
			mask(z, l)
		}
		values, err := g.Values(ctx, z)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return out, nil
}

// Singles returns F({x_i}) of every instance alone, shaped (instance, class).
func (g *Game) Singles(ctx context.Context) ([]float64, error) {
	return g.each(ctx, func(z *Coalitions, i int) { z.AppendMembers(i) })
}

// Removed returns F(X without x_i) of every instance, shaped (instance, class), for k > 1.
func (g *Game) Removed(ctx context.Context) ([]float64, error) {
	return g.each(ctx, func(z *Coalitions, i int) { z.AppendWithout(i) })
}
