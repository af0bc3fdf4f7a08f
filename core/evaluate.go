package core

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A workload is a number of coalitions to evaluate.
type workload struct {
	count int
	// writes the scores of coalitions [lo, hi), on the task's scale
	score func(ctx context.Context, dst []float64, lo, hi int) error
	// coalition j as characters 0 and 1
	name func(j int) string
	// scores that are not finite are stored, and are no error
	partial bool
}

// masks returns the workload of a batch of coalitions.
func (g *Game) masks(z *Coalitions, partial bool) workload {
	return workload{z.Len(), func(ctx context.Context, dst []float64, lo, hi int) error {
		return g.ev.Evaluate(ctx, dst, z.Slice(lo, hi))
	}, z.String, partial}
}

// spend returns the values of a workload (coalition, class), or a *BudgetError before any
// evaluation.
func (g *Game) spend(ctx context.Context, s workload) ([]float64, error) {
	if err := g.CheckBudget(s.count); err != nil {
		return nil, err
	}
	values := make([]float64, s.count*g.task.Classes)
	err := g.evaluate(ctx, values, s)
	if err != nil {
		g.neighbours += s.count // the most that were scored
	}
	return values, err
}

// CheckBudget returns a *BudgetError if n more evaluations exceed the budget.
func (g *Game) CheckBudget(n int) error {
	if b := g.options.Budget; b > 0 && g.Evaluations()+n > b {
		return &BudgetError{Used: g.Evaluations(), Needed: n, Budget: b}
	}
	return nil
}

// defaultBatch is the number of coalitions that an evaluator gets at once. Larger batches report
// progress less often and leave some workers idle at the end; smaller ones cost more calls.
const defaultBatch = 64

// BatchUnit divides the size of all batches of a Batcher except the last. Values may depend in
// their last digit on other coalitions of the same unit, as those of running sums do. Because units
// are never split, results do not depend on the number of workers.
const BatchUnit = 256

// evaluate scores coalitions in batches on all workers. If batches fail, it returns the error of
// the first one, which does not depend on the number of workers.
func (g *Game) evaluate(ctx context.Context, values []float64, s workload) error {
	n, c := s.count, g.task.Classes
	size := g.batchSize(n)
	batches := (n + size - 1) / size
	return g.Parallel(ctx, batches, func() func(b int) error {
		return func(b int) error {
			lo, hi := b*size, min((b+1)*size, n)
			return g.evaluateBatch(ctx, values[lo*c:hi*c], s, lo, hi)
		}
	})
}

// Parallel calls f(i) for i from 0 to n-1, in this order, on the workers of the game. start returns
// the f of one worker, so that a worker can reuse its memory. After a failure or the end of ctx no
// further call starts. Parallel returns the cause if ctx ended, else the error of the lowest i that
// failed. All lower calls have then finished, so that the error does not depend on the number of
// workers.
func (g *Game) Parallel(ctx context.Context, n int, start func() func(i int) error) error {
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		errs   = make([]error, n)
	)
	work := func() {
		f := start()
		for !failed.Load() && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = f(i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	// The caller works too. In a browser it is the only worker, and needs no further stack.
	for range min(g.options.Workers, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(errs...)
}

// batchSize returns the number of coalitions, of n, that a worker gets at once.
func (g *Game) batchSize(n int) int {
	share := (n + g.options.Workers - 1) / g.options.Workers
	if b, ok := g.ev.(Batcher); ok && b.Batch() > defaultBatch {
		return min(b.Batch(), (share+BatchUnit-1)/BatchUnit*BatchUnit)
	}
	return min(defaultBatch, share)
}

// evaluateBatch scores coalitions [lo, hi) of a workload and converts the scores to the output. It
// returns a *NonFiniteError for the first score that is NaN or infinite, unless the workload is
// partial.
func (g *Game) evaluateBatch(ctx context.Context, values []float64, s workload, lo, hi int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.score(ctx, values, lo, hi); err != nil {
		return err
	}
	c := g.task.Classes
	for j := range hi - lo {
		row := values[j*c : (j+1)*c]
		g.Convert(row)
	}
	if s.partial {
		for row := range slices.Chunk(values[:(hi-lo)*c], c) {
			g.CheckAnswer(row)
		}
	} else {
		err := g.checkFinite(values[:(hi-lo)*c], func(j int) string { return s.name(lo + j) })
		if err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += hi - lo
	if g.options.Progress != nil {
		g.options.Progress(g.done, g.bounded())
	}
	return nil
}

// Expect sets the total of Progress: at most n further evaluations.
func (g *Game) Expect(n int) { g.total = g.done + n }

// bounded returns the total of Progress, which is never below what is done.
func (g *Game) bounded() int {
	if g.total == 0 {
		return 0
	}
	return max(g.total, g.done)
}

// ReportEvaluations counts n evaluations whose values are not cached, and reports progress.
func (g *Game) ReportEvaluations(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.done
	g.done += n
	g.neighbours += n
	if g.options.Progress != nil && before/progressUnit != g.done/progressUnit {
		g.options.Progress(g.done, g.bounded())
	}
}

// progressUnit is how many evaluations of neighbours lie between two reports of progress: those of
// a small bag take less time than a report.
const progressUnit = 1024
