package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newShape makes Shape: the sizes of the dimensions of its input, from start up to end, as int64.
func newShape(n *Node) (Func, error) {
	start, end := n.Int("start", 0), n.Int("end", math.MaxInt32)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		dims := shapeRange(in[0].Shape, start, end)
		if err := m.Alloc(out[0], tensor.Int64, len(dims)); err != nil {
			return err
		}
		for i, dst := 0, tensor.Of[int64](out[0]); i < len(dst); i++ {
			dst[i] = int64(dims[i])
		}
		return nil
	}, nil
}

// shapeRange returns the dimensions from start up to end, which may count from the end and are
// clamped as in Slice.
func shapeRange(shape []int, start, end int) []int {
	c := newAxisRange(0, start, end, 1, len(shape))
	return shape[c.start : c.start+c.n]
}

// newSize makes Size: the number of elements of its input, as an int64 scalar.
func newSize(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if err := m.Alloc(out[0], tensor.Int64); err != nil {
			return err
		}
		tensor.Of[int64](out[0])[0] = int64(in[0].Len())
		return nil
	}, nil
}
