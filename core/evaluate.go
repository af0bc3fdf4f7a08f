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

// BatchUnit is what the batches of a Batcher are multiples of, but for the last: where its values depend on
// neighbours in a batch, as running sums do in their last digit, they do so within these bounds and the
// number of workers changes nothing.
const BatchUnit = 256

// evaluate scores coalitions in batches, on all workers. When batches fail it returns the error of the first
// of them, which does not depend on the number of workers either.
func (g *Game) evaluate(ctx context.Context, values []float64, z *Coalitions) error {
	n, c := z.Len(), g.task.Classes
	size := g.batchSize(n)
	batches := (n + size - 1) / size
	errs := make([]error, batches)
	var (
		wg   sync.WaitGroup
		next = make(chan int)
		fail = make(chan struct{})
		once sync.Once
	)
	for range min(g.options.Workers, batches) {
		wg.Go(func() {
			for b := range next {
				lo, hi := b*size, min((b+1)*size, n)
				if errs[b] = g.evaluateBatch(ctx, values[lo*c:hi*c], z.Slice(lo, hi)); errs[b] != nil {
					once.Do(func() { close(fail) })
				}
			}
		})
	}
feed:
	for b := range batches {
		select {
		case <-fail:
			break feed
		default:
		}
		select {
		case next <- b:
		case <-fail:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// batchSize returns how many of n coalitions a worker gets at once.
func (g *Game) batchSize(n int) int {
	share := (n + g.options.Workers - 1) / g.options.Workers
	if b, ok := g.ev.(Batcher); ok && b.Batch() > batch {
		return min(b.Batch(), (share+BatchUnit-1)/BatchUnit*BatchUnit)
	}
	return min(batch, share)
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
