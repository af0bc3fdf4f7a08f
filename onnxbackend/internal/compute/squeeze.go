package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewSqueeze makes Squeeze. It drops the named dimensions, which must have one place, or all such
// dimensions if none is named.
func NewSqueeze(n *Node) (Func, error) {
	axes := n.Ints("axes")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, err := axesOf(m, axes, in)
		if err != nil {
			return err
		}
		var marks [8]bool
		mark, err := marked(marks[:0], a, in[0].Rank())
		if err != nil {
			return err
		}
		var space [8]int
		shape := space[:0]
		for i, d := range in[0].Shape {
			switch {
			case mark[i] && d != 1:
				return msg.Errorf("dimension %d of shape %v is not 1 and cannot be dropped", i,
					in[0].Shape)
			case mark[i], a == nil && d == 1:
			default:
				shape = append(shape, d)
			}
		}
		return reshaped(m, out[0], in[0], shape)
	}, nil
}

// NewUnsqueeze makes Unsqueeze. It inserts dimensions of one place; axes count in the result.
func NewUnsqueeze(n *Node) (Func, error) {
	axes := n.Ints("axes")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, err := axesOf(m, axes, in)
		if err != nil {
			return err
		}
		var marks [8]bool
		mark, err := marked(marks[:0], a, in[0].Rank()+len(a))
		if err != nil {
			return err
		}
		var space [8]int
		shape, next := space[:0], 0
		for _, added := range mark {
			if added {
				shape = append(shape, 1)
				continue
			}
			shape = append(shape, in[0].Shape[next])
			next++
		}
		return reshaped(m, out[0], in[0], shape)
	}, nil
}

// axesOf returns the axes of a node: its second input, or its attribute in older versions, nil for
// none.
func axesOf(m *machine.Machine, attribute []int, in []*tensor.Tensor) ([]int, error) {
	if t := given(in, 1); t != nil {
		return intsIn(m, t)
	}
	return attribute, nil
}

// marked appends to dst, for each of rank dimensions, whether axes name it. An axis that occurs
// twice is an error, like one that does not exist.
func marked(dst []bool, axes []int, rank int) ([]bool, error) {
	mark := append(dst, make([]bool, rank)...)[len(dst):]
	for _, a := range axes {
		i, ok := tensor.Axis(a, rank)
		if !ok || mark[i] {
			return nil, AxisError(a, rank)
		}
		mark[i] = true
	}
	return mark, nil
}
