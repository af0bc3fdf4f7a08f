package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newConstant(n *Node) (Func, error) {
	t, err := constantOf(n)
	if err != nil {
		return nil, err
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		m.Share(out[0], t, t.Shape)
		return nil
	}, nil
}

func constantOf(n *Node) (*tensor.Tensor, error) {
	for _, name := range []string{"sparse_value", "value_string", "value_strings"} {
		if n.Has(name) {
			return nil, fmt.Errorf("a constant given as %s is not held by this engine; make it a dense tensor of numbers", name)
		}
	}
	if a := n.find("value", decode.KindTensor); a != nil && a.Tensor != nil {
		return a.Tensor, nil
	}
	if a := n.find("value_float", decode.KindFloat); a != nil {
		return tensor.From(tensor.Float32, []float32{a.Float}), nil
	}
	if a := n.find("value_floats", decode.KindFloats); a != nil {
		return tensor.From(tensor.Float32, a.Floats, len(a.Floats)), nil
	}
	if a := n.find("value_int", decode.KindInt); a != nil {
		return tensor.From(tensor.Int64, []int64{a.Int}), nil
	}
	if a := n.find("value_ints", decode.KindInts); a != nil {
		return tensor.From(tensor.Int64, a.Ints, len(a.Ints)), nil
	}
	return nil, fmt.Errorf("it holds no value")
}

func newConstantOfShape(n *Node) (Func, error) {
	value := tensor.From(tensor.Float32, []float32{0}, 1)
	if a := n.find("value", decode.KindTensor); a != nil && a.Tensor != nil {
		value = a.Tensor
	}
	if value.Len() != 1 {
		return nil, fmt.Errorf("its value has shape %v instead of one element", value.Shape)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		shape, err := intsOf(in[0])
		if err != nil {
			return err
		}
		if err := m.Alloc(out[0], value.Type, shape...); err != nil {
			return err
		}
		return moved(m, out[0], value, 0, shape, make([]int, len(shape)))
	}, nil
}

func newRange(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var v [3]float64
		for i, t := range in {
			if t.Type != in[0].Type {
				return mixedError(in[0].Type, t.Type)
			}
			if t.Type == tensor.Int64 || t.Type == tensor.Int32 || t.Type.Float() {
				var err error
				if v[i], err = scalar(t); err != nil {
					return err
				}
				continue
			}
			return typeError(t.Type)
		}
		count := math.Ceil((v[1] - v[0]) / v[2])
		if v[2] == 0 || math.IsNaN(count) || count > 1<<40 {
			return fmt.Errorf("a range from %v to %v in steps of %v has no end", v[0], v[1], v[2])
		}
		n := int(max(0, count))
		if err := m.Alloc(out[0], in[0].Type, n); err != nil {
			return err
		}
		if err := m.Tick(n); err != nil {
			return err
		}
		switch in[0].Type {
		case tensor.Float32:
			ramp(tensor.Of[float32](out[0]), float32(v[0]), float32(v[2]))
		case tensor.Float64:
			ramp(tensor.Of[float64](out[0]), v[0], v[2])
		case tensor.Int64:
			ramp(tensor.Of[int64](out[0]), int64(v[0]), int64(v[2]))
		case tensor.Int32:
			ramp(tensor.Of[int32](out[0]), int32(v[0]), int32(v[2]))
		}
		return nil
	}, nil
}

func ramp[T tensor.Number](dst []T, start, step T) {
	for i := range dst {
		dst[i] = start + T(i)*step
	}
}
