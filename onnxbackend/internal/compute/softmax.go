package compute

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// SoftmaxAxes returns the axis of a Softmax, which may count from the end, and whether all
// dimensions from there on are flattened into one. They are before version 13, where the default
// Axis is 1 instead of the last.
func (n *Node) SoftmaxAxes() (axis int, flatten bool) {
	if n.Opset < 13 {
		return n.Int("axis", 1), true
	}
	return n.Int("axis", -1), false
}

// NewSoftmax computes float32 with the kernel's exponential, and float64 row by row.
func NewSoftmax(n *Node) (Func, error) {
	axis, flatten := n.SoftmaxAxes()
	plain := alongAxis(axis, flatten, softmax)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Type != tensor.Float32 {
			return plain(m, in, out)
		}
		outer, c, inner, err := spanOf(x.Shape, axis, flatten)
		if err != nil {
			return err
		}
		if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		return softmax32(m, tensor.Of[float32](out[0]), tensor.Of[float32](x), outer, c, inner)
	}, nil
}

// NewLogSoftmax computes float32 in float64 too: a logarithm of a rounded probability would lose
// the digits of small ones.
func NewLogSoftmax(n *Node) (Func, error) {
	axis, flatten := n.SoftmaxAxes()
	return alongAxis(axis, flatten, func(row []float64) {
		top, sum := slices.Max(row), 0.0
		for _, v := range row {
			sum += math.Exp(v - top)
		}
		sum = math.Log(sum)
		for j, v := range row {
			row[j] = v - top - sum
		}
	}), nil
}

// softmax replaces a row by exp(row) / Σ exp(row). It subtracts the largest element first, so that
// no exponential overflows.
func softmax(row []float64) {
	top, sum := slices.Max(row), 0.0
	for j, v := range row {
		row[j] = math.Exp(v - top)
		sum += row[j]
	}
	for j := range row {
		row[j] /= sum
	}
}
