package onnxbackend

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sample is how many instances are run to learn how large the values of one are.
const sample = 16

// Needs estimates the most bytes that a bag and its binding take at a time: its values, the hidden layers of one block
// of instances, and three times what is kept of each instance at the cut (as it is, weighted, and laid out to
// be pooled). It runs the graph on a few instances. Errors are those of Bind.
func (m *Model) Needs(ctx context.Context, bag *core.Bag) (bytes int64, err error) {
	defer rescue(&err)
	if _, err := m.input.fit(bag); err != nil {
		return 0, err
	}
	bytes = 4 * int64(len(bag.Values))
	few, a, err := m.probe(ctx, part(bag, 0, min(sample, bag.Len())))
	if err != nil || few == nil {
		return 2 * bytes, err // the graph takes no few instances: what it makes of the bag is not known
	}
	layers, kept := int64(0), int64(0)
	for id, p := range a.places {
		n, _ := tensor.Count(p.Shape)
		each := int64(n/few.bag.Len()) * int64(p.Type.Size())
		if p.Class != ops.Instance {
			continue
		}
		layers += each
		if a.boundary[id] && id != m.input.ID {
			kept += each
		}
	}
	block := min(bag.Len(), 2*max(1, m.block/bag.Stride()))
	return bytes + layers*int64(block) + 3*kept*int64(bag.Len()), nil
}
