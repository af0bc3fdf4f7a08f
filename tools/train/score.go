package train

import (
	"context"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Score holds the mean loss and accuracy of a network on a set of bags.
type Score struct {
	Loss float64 // see ops.LossOf
	// Accuracy is the share of correct predictions, of pairs of a bag and a class if a bag can have
	// several classes. A number is correct if it rounds to the target.
	Accuracy float64
	Error    float64 // mean absolute error of a regression, else 0
}

// scoreOf returns the score on one bag from its loss, the network's outputs (class) and the target.
func scoreOf(scale core.Scale, loss float64, outputs, target []float32) Score {
	s := Score{Loss: loss, Accuracy: hit(scale, outputs, target)}
	if scale == core.ScaleRaw {
		for j, v := range outputs {
			s.Error += math.Abs(float64(v)-float64(target[j])) / float64(len(outputs))
		}
	}
	return s
}

// add adds the score of a bag to a sum.
func (s *Score) add(o Score) {
	s.Loss += o.Loss
	s.Accuracy += o.Accuracy
	s.Error += o.Error
}

// diverged replaces losses that are NaN or infinite, which JSON cannot hold.
const diverged = math.MaxFloat64

// mean divides a sum by the number of bags.
func (s Score) mean(n int) Score {
	count := float64(max(n, 1))
	s = Score{s.Loss / count, s.Accuracy / count, s.Error / count}
	// The negated comparison is also true for NaN.
	if !(s.Loss < diverged) {
		s.Loss = diverged
	}
	if !(s.Error < diverged) {
		s.Error = diverged
	}
	return s
}

// Evaluate scores a network on bags, without dropout.
func Evaluate(
	ctx context.Context, n *network.Network, bags []dataset.Example, p dataset.Preprocess,
) (Score, error) {
	var sum Score
	for _, e := range bags {
		if ctx.Err() != nil {
			return sum, context.Cause(ctx)
		}
		if len(e.Target) != n.Classes {
			return sum, fmt.Errorf("bag %q has %d targets, but the network has %d classes", e.Name,
				len(e.Target), n.Classes)
		}
		bag, err := e.Bag()
		if err != nil {
			return sum, err
		}
		if bag, err = p.Apply(bag); err != nil {
			return sum, err
		}
		answer, err := n.Predict(bag)
		if err != nil {
			return sum, err
		}
		sum.add(scoreOf(n.Scale, ops.LossOf(n.Scale, answer.Logits, e.Target), answer.Logits,
			e.Target))
	}
	return sum.mean(len(bags)), nil
}

// hit returns the accuracy on one bag, from 0 to 1. Logits of one class are correct if the greatest
// belongs to the target; of several classes, each is correct by its sign; numbers are correct if
// all round to the target.
func hit(scale core.Scale, outputs, target []float32) float64 {
	switch scale {
	case core.ScaleSigmoidLogits:
		right := 0
		for j, v := range outputs {
			if (v > 0) == (target[j] > .5) {
				right++
			}
		}
		return float64(right) / float64(len(outputs))
	case core.ScaleRaw:
		for j, v := range outputs {
			if math.Round(float64(v)) != math.Round(float64(target[j])) {
				return 0
			}
		}
		return 1
	}
	best := 0
	for j, v := range outputs {
		if v > outputs[best] {
			best = j
		}
	}
	if target[best] < 1 {
		return 0
	}
	return 1
}
