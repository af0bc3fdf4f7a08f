package main

import (
	"context"
	"errors"
	"sync"

	"github.com/bagscope/bagscope/tools/train"
)

// trainAll runs jobs, some at a time, and returns their reports in order. The first that fails ends the others, which
// leave checkpoints.
func trainAll(ctx context.Context, jobs []train.Job, workers int) ([]*train.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reports, failures := make([]*train.Report, len(jobs)), make([]error, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			for i := range next {
				if reports[i], failures[i] = jobs[i].Run(ctx); failures[i] != nil {
					stop()
				}
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wg.Wait()
	// What made the others stop is the reason, not that they were stopped.
	for _, err := range failures {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return reports, errors.Join(failures...)
}
