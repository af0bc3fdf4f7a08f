package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewShape makes Shape: the sizes of the dimensions of its input, from start up to end, as int64.
func NewShape(n *Node) (Func, error) {
	start, end := n.Int("start", 0), n.Int("end", math.MaxInt32)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		dims := ShapeRange(in[0].Shape, start, end)
		if err := m.Alloc(out[0], tensor.Int64, len(dims)); err != nil {
			return err
		}
		for i, dst := 0, tensor.Of[int64](out[0]); i < len(dst); i++ {
			dst[i] = int64(dims[i])
		}
		return nil
	}, nil
}

// ShapeRange returns the dimensions from start up to end, which may count from the end and are
// clamped as in Slice.
func ShapeRange(shape []int, start, end int) []int {
	c := newAxisRange(0, start, end, 1, len(shape))
	return shape[c.Start : c.Start+c.N]
}

// NewSize makes Size: the number of elements of its input, as an int64 scalar.
func NewSize(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if err := m.Alloc(out[0], tensor.Int64); err != nil {
			return err
		}
		tensor.Of[int64](out[0])[0] = int64(in[0].Len())
		return nil
	}, nil
}
