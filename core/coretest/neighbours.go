package coretest

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
)

// Neighbours is an evaluator that implements core.NeighbourEvaluator the slow way, by an evaluation
// of each neighbour.
type Neighbours struct {
	core.Evaluator
}

// HasNeighbours implements core.NeighbourEvaluator.
func (Neighbours) HasNeighbours() bool { return true }

// EvaluateNeighbours implements core.NeighbourEvaluator.
func (n Neighbours) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	task := n.Task()
	for i := range task.Instances + 1 {
		row := dst[i*task.Classes : (i+1)*task.Classes]
		one := core.NewCoalitions(task.Instances, 1)
		one.Append(z)
		if i < task.Instances {
			one.Row(0)[i/64] ^= 1 << (i % 64)
		}
		if one.Size(0) < task.LeastBag() {
			for c := range row {
				row[c] = math.NaN()
			}
			continue
		}
		if err := n.Evaluate(ctx, row, one); err != nil {
			return err
		}
	}
	return nil
}
