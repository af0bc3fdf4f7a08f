package coretest

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
)

// Neighbours implements core.NeighbourEvaluator by one evaluation for each neighbour. It is slow
// and serves as a reference.
type Neighbours struct {
	core.Evaluator
}

// HasNeighbours implements core.NeighbourEvaluator.
func (Neighbours) HasNeighbours() bool { return true }

// EvaluateNeighbours implements core.NeighbourEvaluator.
func (n Neighbours) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	task := n.Task()
	// One coalition at a time: that is the definition which fast implementations are compared with.
	all := core.NeighbourCoalitions(task.Instances, z)
	for i := range all.Len() {
		row, one := dst[i*task.Classes:(i+1)*task.Classes], all.Slice(i, i+1)
		// Neighbours below the least bag have no value, see core.NeighbourEvaluator.
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
