package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newExpand(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		want, err := intsIn(m, in[1])
		if err != nil {
			return err
		}
		shape, err := broadcastShape(m.Ints(max(len(want), in[0].Rank()))[:0], in[0].Shape, want)
		if err != nil {
			return err
		}
		return moved(m, out[0], in[0], shape, 0, shape, spread(m, in[0].Shape, shape))
	}, nil
}

// spread returns the strides of a tensor of shape x under a shape that it broadcasts to.
func spread(m *machine.Machine, x, to []int) []int {
	out, st := m.Ints(len(to)), 1
	for j := len(x) - 1; j >= 0; j-- {
		if i := j + len(to) - len(x); i >= 0 && x[j] != 1 {
			out[i] = st
		}
		st *= x[j]
	}
	return out
}
