package compute

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// given returns input i, or nil if it is omitted, by an empty name or by ending the list before it.
func given(in []*tensor.Tensor, i int) *tensor.Tensor {
	if i < len(in) {
		return in[i]
	}
	return nil
}

// IntsOf returns the elements of an integer tensor, such as a shape or axes. It returns an error
// for other types and for lists beyond any shape.
func IntsOf(t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return nil, fmt.Errorf("a list of sizes or axes holds %d numbers", t.Len())
	}
	return intsTo(make([]int, t.Len()), t)
}

// maxList bounds the lists of sizes and axes. A longer list is data, and converting it would be
// work that nobody accounts for.
const maxList = 1 << 16

// intsIn is IntsOf in the memory of a run. The list is valid until the operator returns.
func intsIn(m *machine.Machine, t *tensor.Tensor) ([]int, error) {
	if t.Len() > maxList {
		return IntsOf(t)
	}
	return intsTo(m.Ints(t.Len()), t)
}

// intsTo writes the elements of t, of int64 or int32, to v.
func intsTo(v []int, t *tensor.Tensor) ([]int, error) {
	switch t.Type {
	case tensor.Int64:
		for i, x := range tensor.Of[int64](t) {
			v[i] = clampInt(x)
		}
	case tensor.Int32:
		for i, x := range tensor.Of[int32](t) {
			v[i] = int(x)
		}
	default:
		return nil, msg.Errorf("sizes or axes are of %v instead of int64", t.Type)
	}
	return v, nil
}

// intOf returns the value of an integer tensor of one element.
func intOf(t *tensor.Tensor) (int, error) {
	v, err := IntsOf(t)
	if err != nil {
		return 0, err
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("expected one number, got %d", len(v))
	}
	return v[0], nil
}

// scalar returns the value of a tensor of one element, of any common type.
func scalar(t *tensor.Tensor) (float64, error) {
	if t.Len() != 1 {
		return 0, msg.Errorf("expected one number, got a tensor of shape %v", t.Shape)
	}
	switch t.Type {
	case tensor.Float32:
		return float64(tensor.Of[float32](t)[0]), nil
	case tensor.Float64:
		return tensor.Of[float64](t)[0], nil
	case tensor.Bool, tensor.Uint8:
		return float64(tensor.Of[uint8](t)[0]), nil
	}
	v, err := IntsOf(t)
	if err != nil {
		return math.NaN(), err
	}
	return float64(v[0]), nil
}

// optionalInt returns the value of input i, an integer of one element, or a default if it is
// omitted.
func optionalInt(in []*tensor.Tensor, i, def int) (int, error) {
	if t := given(in, i); t != nil {
		return intOf(t)
	}
	return def, nil
}

// sameType returns an error if tensors, of which some may be nil, differ in type from the first.
func sameType(ts ...*tensor.Tensor) error {
	for _, t := range ts {
		if t != nil && t.Type != ts[0].Type {
			return mixedError(ts[0].Type, t.Type)
		}
	}
	return nil
}

// mixedError says that the types of two operands differ.
func mixedError(a, b tensor.Type) error {
	return msg.Errorf("its operands are of %v and of %v, but ONNX requires one type", a, b)
}

// typeError says that an operator does not support a type. The remedy is for the author of the
// model.
func typeError(t tensor.Type) error {
	return msg.Errorf("this operator does not support elements of %v in this engine; cast "+
		"them to float32 or int64 first", t)
}

// axisOf returns an axis of a tensor of a rank, counted from the first.
func axisOf(axis, rank int) (int, error) {
	a, ok := tensor.Axis(axis, rank)
	if !ok {
		return 0, AxisError(axis, rank)
	}
	return a, nil
}

// withAxis makes the function of a node from one that also receives the value of the attribute
// "axis", counted from the first of the first input.
func withAxis(
	n *Node, def int, f func(m *machine.Machine, in, out []*tensor.Tensor, axis int) error,
) (Func, error) {
	axis := n.Int("axis", def)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, err := axisOf(axis, in[0].Rank())
		if err != nil {
			return err
		}
		return f(m, in, out, a)
	}, nil
}

// AxisError says that a tensor does not have an axis.
func AxisError(axis, rank int) error {
	return fmt.Errorf("axis %d does not exist in a tensor of %d dimensions", axis, rank)
}

// splitAt returns the numbers of elements before, at and after an axis: a tensor is an array
// (outer, n, inner) for an operator along one axis.
func splitAt(shape []int, axis int) (outer, n, inner int) {
	return tensor.Split(shape, axis)
}
