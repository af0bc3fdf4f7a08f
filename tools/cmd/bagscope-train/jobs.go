package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bagscope/bagscope/tools/train"
)

// A trained is a job and what came of it: a report, or the error of a training that diverged.
type trained struct {
	train.Job
	report *train.Report
	failed error
}

// name is the job's in words.
func (t trained) name() string { return fmt.Sprintf("%s, repeat %d, %s", t.Set.Name, t.Repeat, t.Kind) }

// trainAll runs jobs, some at a time, and returns what came of them in order. One that diverges
// leaves the others to go on; the first that fails for another reason ends them, and they leave
// checkpoints.
func trainAll(ctx context.Context, jobs []train.Job, workers int) ([]trained, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done, ends := make([]trained, len(jobs)), make([]error, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			for i := range next {
				report, err := jobs[i].Run(ctx)
				var diverged *train.DivergedError
				done[i] = trained{Job: jobs[i], report: report}
				if errors.As(err, &diverged) {
					done[i].failed = err
				} else if err != nil {
					ends[i] = err
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
	for _, err := range ends {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return done, errors.Join(ends...)
}

// failures is the error of the jobs that failed, or nil.
func failures(done []trained) error {
	var first *trained
	n := 0
	for i := range done {
		if done[i].failed == nil {
			continue
		}
		if n++; first == nil {
			first = &done[i]
		}
	}
	switch {
	case n == 0:
		return nil
	case n == 1:
		return fmt.Errorf("%s: %w", first.name(), first.failed)
	default:
		return fmt.Errorf("%d of %d trainings failed, the first %s: %w", n, len(done), first.name(), first.failed)
	}
}
