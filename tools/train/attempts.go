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

// attempts is how often a training starts from other parameters when it learnt nothing, which
// happens to some of the paper's recipes: a decay of 1e-2 can take the weights of mi-net-instance
// on CRC to 0 before they find anything.
const attempts = 3

// learnt is the share of the loss of guessing blindly below which a validation loss shows that
// something was learnt.
const learnt = .99

// enough is the validation loss below which a training has learnt something.
func (c Config) enough() float64 {
	return learnt * blindScore(c.Recipe.Scale, c.Split.Train, c.Split.Validation).Loss
}

// An attempted is what an attempt came to, and the seed it had.
type attempted struct {
	*Result
	Seed uint64
}

// attempt trains until a network learnt something, and returns the one with the least validation
// loss and how many were trained. A training that ran out of epochs counts as it is. One that
// diverged learnt nothing; where all did, that is the error.
func attempt(ctx context.Context, c Config) (best *attempted, tried int, err error) {
	checkpoint, seed, enough := c.Checkpoint, c.Seed, c.enough()
	for tried = 1; ; tried++ {
		r, failed := Run(ctx, c)
		var diverged *DivergedError
		if failed != nil && !errors.As(failed, &diverged) {
			return nil, tried, failed
		}
		if failed == nil && (best == nil || r.loss() < best.loss()) {
			best = &attempted{r, c.Seed}
		}
		switch {
		case failed == nil && (r.loss() < enough || len(r.History) == c.Epochs),
			tried == attempts && best != nil:
			return best, tried, nil
		case tried == attempts:
			return nil, tried, failed
		}
		// The paper's seeds are below 1000.
		c.Seed, c.Checkpoint = seed+uint64(tried)*1000, nth(checkpoint, tried)
	}
}

// nth is the file that attempt n, from 0, is kept in.
func nth(checkpoint string, n int) string {
	if n == 0 {
		return checkpoint
	}
	return fmt.Sprintf("%s.%d", checkpoint, n+1)
}

// loss is the least validation loss.
func (r *Result) loss() float64 { return r.History[r.Best].Validation.Loss }

// blindScore is the score on some bags of one who knows nothing of a bag but the mean target of the
// training bags.
func blindScore(scale core.Scale, train, bags []dataset.Example) Score {
	mean := make([]float64, len(train[0].Target))
	for _, e := range train {
		for c, v := range e.Target {
			mean[c] += float64(v) / float64(len(train))
		}
	}
	const least = 1e-6 // of a class without training bags
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
	var sum Score
	for _, e := range bags {
		sum.add(scoreOf(scale, ops.LossOf(scale, guess, e.Target), guess, e.Target))
	}
	return sum.mean(len(bags))
}
