package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/study"
)

// A trained is a job with its outcome: a report, or the error of a training that diverged.
type trained struct {
	train.Job
	report *train.Report // nil if the training failed
	failed error         // a *train.DivergedError, or nil
}

// name returns the data set, the repeat and the kind of network.
func (t trained) name() string {
	return fmt.Sprintf("%s, repeat %d, %s", t.Set.Name, t.Repeat, t.Kind)
}

// trainAll runs jobs, up to workers at a time, and returns their outcomes in the order of jobs. If
// a job diverges, the others continue. The first job that fails for another reason stops the
// others, which leave checkpoints.
func trainAll(ctx context.Context, jobs []train.Job, workers int) ([]trained, error) {
	// Workers write to their own elements.
	done := make([]trained, len(jobs))
	err := study.Each(ctx, len(jobs), workers, func(int, int) {},
		func(ctx context.Context, i int) error {
			// A training that diverges must not stop the others, so that its error stays in the
			// outcome.
			report, err := jobs[i].Run(ctx)
			done[i] = trained{Job: jobs[i], report: report}
			if errors.As(err, new(*train.DivergedError)) {
				done[i].failed = err
				return nil
			}
			return err
		})
	return done, err
}

// failures returns an error that describes the failed jobs, or nil. It names the first one.
func failures(done []trained) error {
	failed := slices.DeleteFunc(slices.Clone(done),
		func(t trained) bool { return t.failed == nil })
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %w", failed[0].name(), failed[0].failed)
	}
	return fmt.Errorf("%d of %d trainings failed, the first %s: %w", len(failed), len(done),
		failed[0].name(), failed[0].failed)
}
