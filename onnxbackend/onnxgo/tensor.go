package onnxgo

import (
	"fmt"

	gorgonia "gorgonia.org/tensor"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// typeOf returns the engine's type of a tensor's elements.
func typeOf(t gorgonia.Tensor) (tensor.Type, error) {
	switch t.Dtype() {
	case gorgonia.Float32:
		return tensor.Float32, nil
	case gorgonia.Float64:
		return tensor.Float64, nil
	case gorgonia.Int8:
		return tensor.Int8, nil
	case gorgonia.Int16:
		return tensor.Int16, nil
	case gorgonia.Int32:
		return tensor.Int32, nil
	case gorgonia.Int64:
		return tensor.Int64, nil
	case gorgonia.Byte:
		return tensor.Uint8, nil
	case gorgonia.Uint16:
		return tensor.Uint16, nil
	case gorgonia.Uint32:
		return tensor.Uint32, nil
	case gorgonia.Uint64:
		return tensor.Uint64, nil
	case gorgonia.Bool:
		return tensor.Bool, nil
	}
	return 0, fmt.Errorf("onnxgo: elements of type %v are not computed with", t.Dtype())
}

// toEngine copies a tensor of onnx-go's.
func toEngine(t gorgonia.Tensor) (*tensor.Tensor, error) {
	typ, err := typeOf(t)
	if err != nil {
		return nil, err
	}
	if d, ok := t.(*gorgonia.Dense); ok && d.RequiresIterator() {
		t = d.Materialize() // a view whose elements do not lie in order
	}
	shape := []int(t.Shape())
	switch data := t.Data().(type) {
	case []bool:
		out := tensor.New(typ, shape...)
		for i, v := range data[:out.Len()] {
			if v {
				tensor.Of[uint8](out)[i] = 1
			}
		}
		return out, nil
	case bool:
		out := tensor.New(typ)
		if data {
			tensor.Of[uint8](out)[0] = 1
		}
		return out, nil
	case []float32:
		return filled(typ, data, shape)
	case float32:
		return filled(typ, []float32{data}, nil)
	case []float64:
		return filled(typ, data, shape)
	case float64:
		return filled(typ, []float64{data}, nil)
	case []int8:
		return filled(typ, data, shape)
	case int8:
		return filled(typ, []int8{data}, nil)
	case []int16:
		return filled(typ, data, shape)
	case int16:
		return filled(typ, []int16{data}, nil)
	case []int32:
		return filled(typ, data, shape)
	case int32:
		return filled(typ, []int32{data}, nil)
	case []int64:
		return filled(typ, data, shape)
	case int64:
		return filled(typ, []int64{data}, nil)
	case []uint8:
		return filled(typ, data, shape)
	case uint8:
		return filled(typ, []uint8{data}, nil)
	case []uint16:
		return filled(typ, data, shape)
	case uint16:
		return filled(typ, []uint16{data}, nil)
	case []uint32:
		return filled(typ, data, shape)
	case uint32:
		return filled(typ, []uint32{data}, nil)
	case []uint64:
		return filled(typ, data, shape)
	case uint64:
		return filled(typ, []uint64{data}, nil)
	}
	return nil, fmt.Errorf("onnxgo: a tensor of %T cannot be read", t.Data())
}

func filled[T tensor.Number](typ tensor.Type, data []T, shape []int) (*tensor.Tensor, error) {
	n, ok := tensor.Count(shape)
	if !ok || n > len(data) {
		return nil, fmt.Errorf("onnxgo: a tensor of shape %v holds %d elements", shape, len(data))
	}
	return tensor.From(typ, data[:n], shape...), nil
}

// fromEngine copies a tensor of the engine's.
func fromEngine(t *tensor.Tensor) (gorgonia.Tensor, error) {
	switch t.Type {
	case tensor.Float32:
		return emptied[float32](t)
	case tensor.Float64:
		return emptied[float64](t)
	case tensor.Int8:
		return emptied[int8](t)
	case tensor.Int16:
		return emptied[int16](t)
	case tensor.Int32:
		return emptied[int32](t)
	case tensor.Int64:
		return emptied[int64](t)
	case tensor.Uint8:
		return emptied[uint8](t)
	case tensor.Uint16:
		return emptied[uint16](t)
	case tensor.Uint32:
		return emptied[uint32](t)
	case tensor.Uint64:
		return emptied[uint64](t)
	case tensor.Bool:
		values := make([]bool, t.Len())
		for i, v := range tensor.Of[uint8](t) {
			values[i] = v != 0
		}
		return dense(values, t.Shape)
	}
	return nil, fmt.Errorf("onnxgo: a result of %v has no tensor in onnx-go", t.Type)
}

func emptied[T tensor.Number](t *tensor.Tensor) (gorgonia.Tensor, error) {
	return dense(append([]T{}, tensor.Of[T](t)...), t.Shape)
}

func dense[T any](values []T, shape []int) (gorgonia.Tensor, error) {
	switch {
	case len(values) == 0:
		return nil, fmt.Errorf(
			"onnxgo: a result of shape %v is empty, and onnx-go's tensors cannot be", shape)
	case len(shape) == 0:
		return gorgonia.New(gorgonia.FromScalar(values[0])), nil
	}
	return gorgonia.New(gorgonia.WithShape(shape...), gorgonia.WithBacking(values)), nil
}
