package train

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/tools/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
	"github.com/bagscope/bagscope/tools/train/ops"
)

// A Score is how well a network does on some bags.
type Score struct {
	Loss     float64 // mean over the bags, as ops.LossOf has it
	Accuracy float64 // share of the bags that it says rightly, of bags and classes where a bag is of several
}

func (s *Score) add(o Score) { s.Loss += o.Loss; s.Accuracy += o.Accuracy }

// diverged stands for losses that are no numbers, which a report could not hold.
const diverged = math.MaxFloat64

func (s Score) mean(n int) Score {
	s.Loss, s.Accuracy = s.Loss/float64(max(n, 1)), s.Accuracy/float64(max(n, 1))
	if !(s.Loss < diverged) {
		s.Loss = diverged
	}
	return s
}

// Evaluate scores a network on bags, without dropout.
func Evaluate(ctx context.Context, n *network.Network, bags []dataset.Example, p dataset.Preprocess) (Score, error) {
	var sum Score
	for _, e := range bags {
		if ctx.Err() != nil {
			return sum, context.Cause(ctx)
		}
		bag, err := e.Bag()
		if err != nil {
			return sum, err
		}
		answer, err := n.Predict(p.Apply(bag))
		if err != nil {
			return sum, err
		}
		sum.add(Score{Loss: ops.LossOf(n.Scale, answer.Logits, e.Target), Accuracy: hit(n.Scale, answer.Logits, e.Target)})
	}
	return sum.mean(len(bags)), nil
}
