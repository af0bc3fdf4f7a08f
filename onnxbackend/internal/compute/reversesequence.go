package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewReverseSequence makes ReverseSequence. It reverses the first elements of each sequence of a
// batch, as many as its length; the others stay. Batch and time are the first two axes, in either
// order.
func NewReverseSequence(n *Node) (Func, error) {
	batch, time := n.Int("batch_axis", 1), n.Int("time_axis", 0)
	if batch == time {
		n.fail("batch_axis and time_axis are both %d", batch)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Rank() < 2 {
			return msg.Errorf("shape %v has no sequences", x.Shape)
		}
		lengths, err := IntsOf(in[1])
		if err != nil {
			return err
		}
		if len(lengths) != x.Shape[batch] {
			return fmt.Errorf("%d lengths for a batch of %d", len(lengths), x.Shape[batch])
		}
		if err := allocate(m, out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		// st holds the strides of the two axes in rows.
		st := [2]int{x.Shape[1], 1}
		row := elements(x.Shape[2:]) * x.Type.Size()
		src, dst := x.Bytes(), out[0].Bytes()
		for b, n := range lengths {
			if n < 0 || n > x.Shape[time] {
				return fmt.Errorf("a sequence has length %d, but the time axis has %d places", n,
					x.Shape[time])
			}
			for t := range x.Shape[time] {
				from := t
				if t < n {
					from = n - 1 - t
				}
				copy(dst[(b*st[batch]+t*st[time])*row:][:row],
					src[(b*st[batch]+from*st[time])*row:])
			}
		}
		return nil
	}, nil
}
