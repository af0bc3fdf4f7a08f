package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewExpand makes Expand, which broadcasts in both directions: dimensions of one place in the
// target keep the size of the input.
func NewExpand(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		target, err := intsIn(m, in[1])
		if err != nil {
			return err
		}
		shape, err := broadcastShape(m.Ints(max(len(target), in[0].Rank()))[:0], in[0].Shape,
			target)
		if err != nil {
			return err
		}
		return stridedCopy(m, out[0], in[0], shape, 0, shape,
			broadcastStrides(m, in[0].Shape, shape))
	}, nil
}

// broadcastStrides returns the strides of a tensor of shape x under a shape that it broadcasts to:
// 0 for dimensions that repeat its elements.
func broadcastStrides(m *machine.Machine, x, to []int) []int {
	out, st := m.Ints(len(to)), 1
	for j := len(x) - 1; j >= 0; j-- {
		if i := j + len(to) - len(x); i >= 0 && x[j] != 1 {
			out[i] = st
		}
		st *= x[j]
	}
	return out
}
