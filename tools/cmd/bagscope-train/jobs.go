package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bagscope/bagscope/tools/train"
)

// A trained is a job with its outcome: a report, or the error of a training that diverged.
type trained struct {
	train.Job
	report *train.Report
	failed error
}

// name returns the data set, the repeat and the kind of network.
func (t trained) name() string {
	return fmt.Sprintf("%s, repeat %d, %s", t.Set.Name, t.Repeat,
		t.Kind)
}

// trainAll runs jobs, up to workers at a time, and returns their outcomes in the order of jobs. If
// a job diverges, the others continue. The first job that fails for another reason stops the
// others, which leave checkpoints.
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
	// Report the error that stopped the jobs, not the cancellation that it caused.
	for _, err := range ends {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return done, errors.Join(ends...)
}

// failures returns an error that describes the failed jobs, or nil.
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
		return fmt.Errorf("%d of %d trainings failed, the first %s: %w", n, len(done), first.name(),
			first.failed)
	}
}
