package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// attempts is the number of initial parameters that a job tries until a network is better than the
// baseline. Some recipes of the paper need it: with a decay of 1e-2, the weights of mi-net-instance
// on CRC can decay to 0 before the loss decreases.
const attempts = 3

// baselineShare is the share of the baseline's loss that a useful network must stay below. The
// margin of 1 % excludes a constant network whose loss differs by rounding.
const baselineShare = .99

// lossLimit is the validation loss below which a network is better than the baseline.
func (c Config) lossLimit() float64 {
	return baselineShare * baseline(c.Recipe.Scale, c.Split.Train, c.Split.Validation).Loss
}

// An attempted is the result of an attempt and its seed.
type attempted struct {
	*Result
	Seed uint64
}

// attempt trains until a network is better than the baseline. It returns the network with the least
// validation loss, and the number of trainings. A training that reached its last epoch ends the
// attempts, because a short training says little about its initial parameters.
//
// Errors: those of Run, and *DivergedError if every attempt diverged.
func attempt(ctx context.Context, c Config) (best *attempted, tried int, err error) {
	checkpoint, seed, limit := c.Checkpoint, c.Seed, c.lossLimit()
	for tried = 1; ; tried++ {
		r, failed := Run(ctx, c)
		var diverged *DivergedError
		// Only divergence may end an attempt without ending the job.
		if failed != nil && !errors.As(failed, &diverged) {
			return nil, tried, failed
		}
		if failed == nil && (best == nil || r.loss() < best.loss()) {
			best = &attempted{r, c.Seed}
		}
		switch {
		case failed == nil && (r.loss() < limit || len(r.History) == c.Epochs),
			tried == attempts && best != nil:
			return best, tried, nil
		case tried == attempts:
			return nil, tried, failed
		}
		// The paper's seeds are below 1000, so no attempt has the seed of another repeat.
		c.Seed, c.Checkpoint = seed+uint64(tried)*1000, attemptFile(checkpoint, tried)
	}
}

// attemptFile returns the checkpoint of attempt n, from 0.
func attemptFile(checkpoint string, n int) string {
	if n == 0 {
		return checkpoint
	}
	return fmt.Sprintf("%s.%d", checkpoint, n+1)
}

// loss returns the least validation loss of all epochs.
func (r *Result) loss() float64 { return r.History[r.Best].Validation.Loss }

// baseline returns the score on some bags of the best constant prediction: the mean target of the
// training bags, as probabilities or numbers.
func baseline(scale core.Scale, train, bags []dataset.Example) Score {
	mean := make([]float64, len(train[0].Target))
	for _, e := range train {
		for c, v := range e.Target {
			mean[c] += float64(v) / float64(len(train))
		}
	}
	const least = 1e-6 // probability of a class without training bags; its logit must be finite
	guess := make([]float32, len(mean))
	for c, m := range mean {
		p := min(max(m, least), 1-least)
		switch scale {
		case core.ScaleLogits:
			guess[c] = float32(math.Log(p))
		case core.ScaleSigmoidLogits:
			guess[c] = float32(math.Log(p / (1 - p)))
		default:
			guess[c] = float32(m)
		}
	}
	// A constant prediction has the same formula for every bag; only targets differ.
	var sum Score
	for _, e := range bags {
		sum.add(scoreOf(scale, ops.LossOf(scale, guess, e.Target), guess, e.Target))
	}
	return sum.mean(len(bags))
}
