package compute

import (
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewRange makes Range: numbers from start (input 0) up to limit (input 1), which is excluded, in
// steps of delta (input 2).
func NewRange(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var v [3]float64
		for i, t := range in {
			var err error
			if v[i], err = scalar(t); err != nil {
				return err
			}
		}
		count := math.Ceil((v[1] - v[0]) / v[2])
		if v[2] == 0 || math.IsNaN(count) || count > 1<<40 {
			return msg.Errorf("a range from %v to %v in steps of %v has no end", v[0], v[1], v[2])
		}
		return rangeByType.run(m, out[0], in[0].Type, ramp{int(max(0, count)), v[0], v[2]}, in...)
	}, nil
}

// A ramp is the result of a Range: n numbers, step apart.
type ramp struct {
	n           int
	start, step float64
}

// rangeByType accepts real numbers and signed integers; ONNX defines Range for these alone.
var rangeByType = byType[ramp]{f32: fillRamp[float32], f64: fillRamp[float64], i64: fillRamp[int64]}

// fillRamp computes each element from its place, so that rounding does not add up.
func fillRamp[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, r ramp,
) error {
	if err := allocate(m, out, in[0].Type, r.n); err != nil {
		return err
	}
	start, step := T(r.start), T(r.step)
	for i, dst := 0, tensor.Of[T](out); i < len(dst); i++ {
		dst[i] = start + T(i)*step
	}
	return nil
}
