package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// reshaped shares the elements of x under another shape. It returns an error if the shape has
// another number of elements.
func reshaped(m *machine.Machine, out, x *tensor.Tensor, shape []int) error {
	if n, ok := tensor.Count(shape); !ok || n != x.Len() {
		return msg.Errorf("shape %v cannot become %v", x.Shape, slices.Clone(shape))
	}
	m.Share(out, x, shape)
	return nil
}

// NewReshape makes Reshape. The output shares the memory of the input. A constant shape that does
// not match is the usual fault of exported models, so its error says how to export again.
func NewReshape(n *Node) (Func, error) {
	allowZero, baked := n.Int("allowzero", 0) != 0, n.constant(1) != nil
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		target, err := intsIn(m, in[1])
		if err != nil {
			return err
		}
		shape, err := reshapeTo(m, in[0].Shape, target, allowZero)
		if err == nil {
			err = reshaped(m, out[0], in[0], shape)
		}
		switch {
		case err == nil || !baked:
		case slices.Contains(target, -1):
			return msg.Errorf("%w: the file holds this shape as a constant, and only some numbers "+
				"of instances fill it; export a model that takes any number", err)
		default:
			return msg.Errorf("%w: the file holds this shape as a constant, so it was exported "+
				"for one number of instances; export it with dynamic axes", err)
		}
		return err
	}, nil
}

// reshapeTo resolves 0 (the size of the input's dimension) and -1 (what is left) in a target shape.
// With allowZero, 0 is a size.
func reshapeTo(m *machine.Machine, from, target []int, allowZero bool) ([]int, error) {
	shape, free := append(m.Ints(len(target))[:0], target...), -1
	for i, d := range shape {
		switch {
		case d == 0 && !allowZero:
			if i >= len(from) {
				return nil, msg.Errorf("shape %v copies dimension %d, which %v lacks", target, i,
					from)
			}
			shape[i] = from[i]
		case d == -1 && free < 0:
			free = i
			shape[i] = 1
		case d < 0:
			return nil, msg.Errorf("shape %v cannot be resolved", target)
		}
	}
	if free < 0 {
		return shape, nil
	}
	// The free dimension has what remains of the elements; zero sizes leave it undefined.
	have, ok1 := tensor.Count(from)
	rest, ok2 := tensor.Count(shape)
	if !ok1 || !ok2 || rest == 0 || have%rest != 0 {
		return nil, msg.Errorf("shape %v cannot become %v", from, target)
	}
	shape[free] = have / rest
	return shape, nil
}
