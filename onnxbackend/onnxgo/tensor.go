package onnxgo

import (
	"fmt"

	gorgonia "gorgonia.org/tensor"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A conversion copies tensors of one element type between onnx-go and the engine. Data of onnx-go
// is a slice, or for a scalar a single number.
type conversion struct {
	typ        tensor.Type
	toEngine   func(data any, shape []int) (*tensor.Tensor, error)
	fromEngine func(t *tensor.Tensor) (gorgonia.Tensor, error)
}

// conversions has the element types that both libraries know.
var conversions = map[gorgonia.Dtype]conversion{
	gorgonia.Float32: numbers[float32](tensor.Float32),
	gorgonia.Float64: numbers[float64](tensor.Float64),
	gorgonia.Int8:    numbers[int8](tensor.Int8),
	gorgonia.Int16:   numbers[int16](tensor.Int16),
	gorgonia.Int32:   numbers[int32](tensor.Int32),
	gorgonia.Int64:   numbers[int64](tensor.Int64),
	gorgonia.Byte:    numbers[uint8](tensor.Uint8),
	gorgonia.Uint16:  numbers[uint16](tensor.Uint16),
	gorgonia.Uint32:  numbers[uint32](tensor.Uint32),
	gorgonia.Uint64:  numbers[uint64](tensor.Uint64),
	gorgonia.Bool:    {tensor.Bool, boolsToEngine, boolsFromEngine},
}

// numbers returns the conversion of elements that both libraries store as T.
func numbers[T tensor.Number](typ tensor.Type) conversion {
	return conversion{typ,
		func(data any, shape []int) (*tensor.Tensor, error) {
			list, shape, err := elements[T](data, shape)
			if err != nil {
				return nil, err
			}
			return tensor.From(typ, list, shape...), nil
		},
		func(t *tensor.Tensor) (gorgonia.Tensor, error) {
			return dense(append([]T{}, tensor.Of[T](t)...), t.Shape)
		}}
}

// boolsToEngine converts bools, which the engine stores as bytes.
func boolsToEngine(data any, shape []int) (*tensor.Tensor, error) {
	list, shape, err := elements[bool](data, shape)
	if err != nil {
		return nil, err
	}
	out := tensor.New(tensor.Bool, shape...)
	for i, v := range list {
		if v {
			tensor.Of[uint8](out)[i] = 1
		}
	}
	return out, nil
}

// boolsFromEngine is the inverse of boolsToEngine.
func boolsFromEngine(t *tensor.Tensor) (gorgonia.Tensor, error) {
	values := make([]bool, t.Len())
	for i, v := range tensor.Of[uint8](t) {
		values[i] = v != 0
	}
	return dense(values, t.Shape)
}

// elements returns the elements of data for a shape, and the shape, which is nil for a scalar. A
// view may have more elements than its shape.
func elements[T any](data any, shape []int) ([]T, []int, error) {
	if v, ok := data.(T); ok {
		return []T{v}, nil, nil
	}
	list, _ := data.([]T)
	n, ok := tensor.Count(shape)
	if !ok || n > len(list) {
		return nil, nil, fmt.Errorf("onnxgo: a tensor of shape %v holds %d elements", shape,
			len(list))
	}
	return list[:n], shape, nil
}

// conversionOf returns the conversion of a tensor's elements.
func conversionOf(t gorgonia.Tensor) (conversion, error) {
	c, ok := conversions[t.Dtype()]
	if !ok {
		return c, fmt.Errorf("onnxgo: the engine does not compute with elements of type %v",
			t.Dtype())
	}
	return c, nil
}

// toEngine returns a copy of a tensor of onnx-go.
func toEngine(t gorgonia.Tensor) (*tensor.Tensor, error) {
	c, err := conversionOf(t)
	if err != nil {
		return nil, err
	}
	if d, ok := t.(*gorgonia.Dense); ok && d.RequiresIterator() {
		t = d.Materialize() // a view whose elements are not in order in memory
	}
	return c.toEngine(t.Data(), t.Shape())
}

// fromEngine returns a copy of a tensor of the engine.
func fromEngine(t *tensor.Tensor) (gorgonia.Tensor, error) {
	for _, c := range conversions {
		if c.typ == t.Type {
			return c.fromEngine(t)
		}
	}
	return nil, fmt.Errorf("onnxgo: a result of %v has no tensor in onnx-go", t.Type)
}

// dense returns a tensor of onnx-go. onnx-go has scalars as a kind of its own, and no empty
// tensors.
func dense[T any](values []T, shape []int) (gorgonia.Tensor, error) {
	switch {
	case len(values) == 0:
		return nil, fmt.Errorf(
			"onnxgo: a result of shape %v is empty, which onnx-go's tensors cannot be", shape)
	case len(shape) == 0:
		return gorgonia.New(gorgonia.FromScalar(values[0])), nil
	}
	return gorgonia.New(gorgonia.WithShape(shape...), gorgonia.WithBacking(values)), nil
}
