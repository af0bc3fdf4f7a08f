package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewFlatten makes Flatten: a matrix whose rows are the dimensions before the axis. The axis may
// equal the rank, which gives a single column.
func NewFlatten(n *Node) (Func, error) {
	axis := n.Int("axis", 1)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		r := in[0].Rank()
		a := axis
		if a < 0 {
			a += r
		}
		if a < 0 || a > r {
			return AxisError(axis, r)
		}
		outer, inner := 1, 1
		for i, d := range in[0].Shape {
			if i < a {
				outer *= d
			} else {
				inner *= d
			}
		}
		return reshaped(m, out[0], in[0], []int{outer, inner})
	}, nil
}
