package core

import (
	"context"
	"math"
	"sync"
)

// A stretch is coalitions that are not known and are to be evaluated.
type stretch struct {
	count int
	score func(ctx context.Context, dst []float64, lo, hi int) error // writes the scores of lo up to hi, on the task's scale
	name  func(j int) string                                         // coalition j as characters 0 and 1
}

// masks is the stretch of a batch of coalitions.
func (g *Game) masks(z *Coalitions) stretch {
	return stretch{z.Len(), func(ctx context.Context, dst []float64, lo, hi int) error {
		return g.ev.Evaluate(ctx, dst, z.Slice(lo, hi))
	}, z.String}
}

// spend evaluates a stretch, if the budget reaches.
func (g *Game) spend(ctx context.Context, s stretch) ([]float64, error) {
	if b := g.options.Budget; b > 0 && g.memory.count+s.count > b {
		return nil, &BudgetError{Spent: g.memory.count, Wanted: s.count, Budget: b}
	}
	values := make([]float64, s.count*g.task.Classes)
	return values, g.evaluate(ctx, values, s)
}

// batch is how many coalitions an evaluator gets at once: enough to keep it busy, few enough for
// progress to move and for workers to end together.
const batch = 64

// evaluate scores coalitions in batches, on all workers.
func (g *Game) evaluate(ctx context.Context, values []float64, s stretch) error {
	n, c := s.count, g.task.Classes
	size := min(g.batch(), (n+g.options.Workers-1)/g.options.Workers)
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
				if err := g.evaluateBatch(ctx, values[lo*c:hi*c], s, lo, hi); err != nil {
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

func (g *Game) batch() int {
	if b, ok := g.ev.(Batcher); ok {
		return max(b.Batch(), batch)
	}
	return batch
}

func (g *Game) evaluateBatch(ctx context.Context, values []float64, s stretch, lo, hi int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.score(ctx, values, lo, hi); err != nil {
		return err
	}
	c := g.task.Classes
	for j := range hi - lo {
		row := values[j*c : (j+1)*c]
		g.task.Scale.convert(row, g.output)
		for class, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &NonFiniteError{Coalition: s.name(lo + j), Class: class, Value: v}
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += hi - lo
	if g.options.Progress != nil {
		g.options.Progress(g.done, max(g.total, g.done))
	}
	return nil
}
