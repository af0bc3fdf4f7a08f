package study

import (
	"context"
	"runtime"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// A Job explains and judges bags under one model with the same settings.
type Job struct {
	Model   core.Model
	ID      string       // identifies the model and its card in a Store
	Truth   []core.Truth // one for each class; nil means that of the model
	Methods []core.Method
	// Classes returns the classes to explain. A nil function and a nil result mean all classes.
	Classes func(bag *core.Bag, task core.Task) ([]int, error)
	Output  core.Output
	Budget  int   // limit of model evaluations for each bag, 0 for no limit
	Memory  int64 // limit of the bytes of a bag and its explanation, 0 for no limit
	// SkipMissing lists a method that the model cannot serve in Result.Skipped, instead of failing.
	SkipMissing bool
	Judging     metric.Options
	// Explained gets the explanations of each bag that Judge measures; nil gets nothing. Calls for
	// several bags may run at the same time.
	Explained func(bag *core.Bag, explanations []core.Explanation)
}

// A Result holds the measurements of one bag.
type Result struct {
	Bag string
	// Rows are in the order of methods and classes, followed by random order and true labels. They
	// have no curves, which would take most of the memory and disk.
	Rows        []metric.Row
	Skipped     []core.Skipped
	Evaluations int // model evaluations of all methods and metrics
	// MethodEvaluations is the number of coalitions that each method used, including those that
	// methods share.
	MethodEvaluations map[string]int
}

// Explain explains one bag. The seed determines all randomness. Explain runs on one goroutine,
// because callers explain several bags at the same time. It returns the game for further questions.
func (j *Job) Explain(
	ctx context.Context, bag *core.Bag, seed uint64,
) (*core.Game, *core.Report, error) {
	ev, err := j.Model.Bind(ctx, bag)
	if err != nil {
		return nil, nil, err
	}
	var classes []int
	if j.Classes != nil {
		if classes, err = j.Classes(bag, ev.Task()); err != nil {
			return nil, nil, err
		}
	}
	g, err := core.NewGame(ev, core.GameOptions{Output: j.Output, Seed: seed, Budget: j.Budget,
		Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	report, err := g.Explain(ctx, core.Request{Methods: j.Methods, Classes: classes,
		SkipMissing: j.SkipMissing, Memory: j.Memory})
	return g, report, err
}

// TruthTable returns Truth, or that of the model without one.
func (j *Job) TruthTable() []core.Truth {
	if j.Truth != nil {
		return j.Truth
	}
	return j.Model.Info().Truth
}

// Judge is Explain, followed by the measurements of the explanations.
func (j *Job) Judge(ctx context.Context, bag *core.Bag, seed uint64) (*Result, error) {
	g, report, err := j.Explain(ctx, bag, seed)
	if err != nil {
		return nil, err
	}
	rows, err := metric.Evaluate(ctx, g, bag, j.TruthTable(), report.Explanations, j.Judging)
	if err != nil {
		return nil, err
	}
	if j.Explained != nil {
		j.Explained(bag, report.Explanations)
	}
	// Removal curves are large, and tables do not need them.
	for i := range rows {
		rows[i].MoRF, rows[i].LeRF = nil, nil
	}
	evaluations := map[string]int{}
	for _, e := range report.Explanations {
		evaluations[e.Method] = e.Evaluations
	}
	return &Result{Bag: bag.Name, Rows: rows, Skipped: report.Skipped, Evaluations: g.Evaluations(),
		MethodEvaluations: evaluations}, nil
}

// Each calls work for 0 to n-1 on several goroutines; 0 workers means one for each processor. It
// calls progress after each, never concurrently. It stops at the first error or when ctx ends, and
// returns the cause. Each call of work has its own part of the Memory of ctx. If it found memory
// held by others, it is repeated alone.
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
		shared sharedMemory
		next   = make(chan int)
		mu     sync.Mutex
		done   int
		wg     sync.WaitGroup
	)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				if err := shared.do(ctx, i, work); err != nil {
					cancel(err) // the loop drains next, so that the sender never blocks
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
