package ops

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// reshaped shares x under another shape.
func reshaped(m *machine.Machine, out, x *tensor.Tensor, shape []int) error {
	if n, ok := tensor.Count(shape); !ok || n != x.Len() {
		return fmt.Errorf("shape %v cannot become %v", x.Shape, slices.Clone(shape))
	}
	m.Share(out, x, shape)
	return nil
}

func newReshape(n *Node) (Func, error) {
	allowZero, baked := n.Int("allowzero", 0) != 0, n.constant(1) != nil
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		want, err := intsIn(m, in[1])
		if err != nil {
			return err
		}
		shape, err := reshapeTo(m, in[0].Shape, want, allowZero)
		if err == nil {
			err = reshaped(m, out[0], in[0], shape)
		}
		if err != nil && baked {
			return fmt.Errorf("%w: the file holds this shape as a constant, so it was exported for one number of instances; export it with dynamic axes", err)
		}
		return err
	}, nil
}

// reshapeTo resolves 0 (as in the input) and -1 (what is left) in a wanted shape.
func reshapeTo(m *machine.Machine, from, want []int, allowZero bool) ([]int, error) {
	shape, free := append(m.Ints(len(want))[:0], want...), -1
	for i, d := range shape {
		switch {
		case d == 0 && !allowZero:
			if i >= len(from) {
				return nil, fmt.Errorf("shape %v copies dimension %d, which %v has not", want, i, from)
			}
			shape[i] = from[i]
		case d == -1 && free < 0:
			free = i
			shape[i] = 1
		case d < 0:
			return nil, fmt.Errorf("shape %v cannot be resolved", want)
		}
	}
	if free < 0 {
		return shape, nil
	}
	have, ok1 := tensor.Count(from)
	rest, ok2 := tensor.Count(shape)
	if !ok1 || !ok2 || rest == 0 || have%rest != 0 {
		return nil, fmt.Errorf("shape %v cannot become %v", from, want)
	}
	shape[free] = have / rest
	return shape, nil
}

func newFlatten(n *Node) (Func, error) {
	axis := n.Int("axis", 1)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		r := in[0].Rank()
		a := axis
		if a < 0 {
			a += r
		}
		if a < 0 || a > r {
			return axisError(axis, r)
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

// axesOf returns the axes of a node: its second input, or its attribute in older versions.
func axesOf(m *machine.Machine, attribute []int, in []*tensor.Tensor) ([]int, error) {
	if t := given(in, 1); t != nil {
		return intsIn(m, t)
	}
	return attribute, nil
}

// marked appends to dst which of rank dimensions are named by axes.
func marked(dst []bool, axes []int, rank int) ([]bool, error) {
	mark := append(dst, make([]bool, rank)...)[len(dst):]
	for _, a := range axes {
		i, ok := tensor.Axis(a, rank)
		if !ok || mark[i] {
			return nil, axisError(a, rank)
		}
		mark[i] = true
	}
	return mark, nil
}

func newSqueeze(n *Node) (Func, error) {
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
				return fmt.Errorf("dimension %d of shape %v is not 1 and cannot be dropped", i, in[0].Shape)
			case mark[i], a == nil && d == 1:
			default:
				shape = append(shape, d)
			}
		}
		return reshaped(m, out[0], in[0], shape)
	}, nil
}

func newUnsqueeze(n *Node) (Func, error) {
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

func newIdentity(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		m.Share(out[0], in[0], in[0].Shape)
		return nil
	}, nil
}

// newDropout is the identity: the engine never trains. The mask keeps everything.
func newDropout(n *Node) (Func, error) {
	training := fmt.Errorf("it asks for training mode, and this engine only infers; export the model in evaluation mode")
	asks := func(t *tensor.Tensor) bool {
		v, err := scalar(t)
		return err != nil || v != 0
	}
	if t := n.constant(2); t != nil && asks(t) {
		return nil, training
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if t := given(in, 2); t != nil && asks(t) {
			return training
		}
		m.Share(out[0], in[0], in[0].Shape)
		if len(out) < 2 {
			return nil
		}
		typ := tensor.Bool
		if n.Opset < 10 {
			typ = in[0].Type
		}
		if err := m.Alloc(out[1], typ, in[0].Shape...); err != nil {
			return err
		}
		switch typ {
		case tensor.Float32:
			fill(tensor.Of[float32](out[1]), 1)
		case tensor.Float64:
			fill(tensor.Of[float64](out[1]), 1)
		case tensor.Bool:
			fill(tensor.Of[uint8](out[1]), 1)
		default:
			return fmt.Errorf("its mask would be of %v", typ)
		}
		return nil
	}, nil
}

func newShape(n *Node) (Func, error) {
	start, end := n.Int("start", 0), n.Int("end", 1<<40)
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

// shapeRange returns the dimensions from start up to end, counted as Shape counts them.
func shapeRange(shape []int, start, end int) []int {
	c := newCut(0, start, end, 1, len(shape))
	return shape[c.start : c.start+c.n]
}

func newSize(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if err := m.Alloc(out[0], tensor.Int64); err != nil {
			return err
		}
		tensor.Of[int64](out[0])[0] = int64(in[0].Len())
		return nil
	}, nil
}
