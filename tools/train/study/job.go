package study

import (
	"context"
	"runtime"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// A Job explains and judges bags under one model, in the same way one after another.
type Job struct {
	Model   core.Model
	ID      string       // says which model and which card, where results are stored
	Truth   []core.Truth // per class; nil takes the model's own
	Methods []core.Method
	// the classes to explain; nil, and a result of nil, mean all
	Classes func(bag *core.Bag, task core.Task) ([]int, error)
	Output  core.Output
	Budget  int   // most model evaluations a bag, 0 for no limit
	Memory  int64 // most bytes that a bag and its explanation may take, 0 for no limit
	// a method that the model cannot serve is listed in the result instead of failing it
	SkipMissing bool
	Judging     metric.Options
}

// A Result holds the measurements of one bag.
type Result struct {
	Bag string
	// in the order of the methods and the classes, then random and oracle; without curves
	Rows        []metric.Row
	Skipped     []core.Skipped
	Evaluations int // model evaluations for all methods and metrics
	// by method: the coalitions that it looked at, those shared with others included
	Looked map[string]int
}

// Judge explains and judges one bag in one game, whose randomness the seed is of. One goroutine
// does the work: several bags are judged at a time.
func (j *Job) Judge(ctx context.Context, bag *core.Bag, seed uint64) (*Result, error) {
	ev, err := j.Model.Bind(ctx, bag)
	if err != nil {
		return nil, err
	}
	var classes []int
	if j.Classes != nil {
		if classes, err = j.Classes(bag, ev.Task()); err != nil {
			return nil, err
		}
	}
	g, err := core.NewGame(ev, core.GameOptions{Output: j.Output, Seed: seed, Budget: j.Budget,
		Workers: 1})
	if err != nil {
		return nil, err
	}
	report, err := g.Explain(ctx, core.Request{Methods: j.Methods, Classes: classes,
		SkipMissing: j.SkipMissing, Memory: j.Memory})
	if err != nil {
		return nil, err
	}
	truth := j.Truth
	if truth == nil {
		truth = j.Model.Info().Truth
	}
	rows, err := metric.Evaluate(ctx, g, bag, truth, report.Explanations, j.Judging)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].MoRF, rows[i].LeRF = nil, nil
	}
	looked := map[string]int{}
	for _, e := range report.Explanations {
		looked[e.Method] = e.Evaluations
	}
	return &Result{Bag: bag.Name, Rows: rows, Skipped: report.Skipped, Evaluations: g.Evaluations(),
		Looked: looked}, nil
}

// Each calls work for 0 to n-1 on several goroutines, 0 workers meaning one a processor, and
// progress as they finish, never concurrently. It stops at the first error, or when ctx ends, and
// returns the cause.
func Each(
	ctx context.Context, n, workers int, progress func(done, total int),
	work func(ctx context.Context, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		next = make(chan int)
		mu   sync.Mutex
		done int
		wg   sync.WaitGroup
	)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				if err := work(ctx, i); err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				done++
				progress(done, n)
				mu.Unlock()
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
