package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// softmaxAxes returns the axis of a Softmax and the first dimension beyond it: before version 13
// all dimensions from the axis on were taken together.
func softmaxAxes(n *Node) (axis int, together bool) {
	if n.Opset < 13 {
		return n.Int("axis", 1), true
	}
	return n.Int("axis", -1), false
}

func newSoftmax(n *Node) (Func, error) { return buildSoftmax(n, false) }

func newLogSoftmax(n *Node) (Func, error) { return buildSoftmax(n, true) }

// buildSoftmax makes Softmax and LogSoftmax.
func buildSoftmax(n *Node, logs bool) (Func, error) {
	axis, together := softmaxAxes(n)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok && !(together && x.Rank() == axis) {
			return axisError(axis, x.Rank())
		}
		outer, c, inner := x.Len(), 1, 1
		if ok {
			outer, c, inner = split3(x.Shape, a)
		}
		if together {
			c, inner = c*inner, 1
		}
		switch {
		case x.Type == tensor.Float32 && !logs:
			if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
				return err
			}
			return softmax32(m, tensor.Of[float32](out[0]), tensor.Of[float32](x), outer, c, inner)
		case x.Type == tensor.Float32, x.Type == tensor.Float64:
			return doubledLike(m, out[0], x, func(dst,
				src []float64) error {
				return softmax(m, dst, src, outer, c, inner, logs)
			})
		}
		return typeError(x.Type)
	}, nil
}

func softmax(m *machine.Machine, dst, src []float64, outer, n, inner int, logs bool) error {
	e, err := machine.Scratch[float64](m, n)
	if err != nil || n == 0 {
		return err
	}
	for o := range outer {
		for i := range inner {
			if err := m.Tick(16 * n); err != nil {
				return err
			}
			base := o*n*inner + i
			top := math.Inf(-1)
			for j := range n {
				top = max(top, src[base+j*inner])
			}
			sum := 0.0
			for j := range n {
				e[j] = math.Exp(src[base+j*inner] - top)
				sum += e[j]
			}
			if logs {
				sum = math.Log(sum)
				for j := range n {
					dst[base+j*inner] = src[base+j*inner] - top - sum
				}
				continue
			}
			for j := range n {
				dst[base+j*inner] = e[j] / sum
			}
		}
	}
	return nil
}
