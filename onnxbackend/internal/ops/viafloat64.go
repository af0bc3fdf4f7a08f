package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Rare operators are written once, on float64, for all types that they take.

// doubles returns the elements of t, which may be nil, as float64. They are valid until the
// operator returns.
func doubles(m *machine.Machine, t *tensor.Tensor) ([]float64, error) {
	if t == nil {
		return nil, nil
	}
	var x tensor.Tensor
	if err := Convert(m, &x, t, tensor.Float64); err != nil {
		return nil, err
	}
	m.AtEnd(&x)
	return tensor.Of[float64](&x), nil
}

// doubled allocates out with a type and shape and fills it with the float64 elements that f
// computes.
func doubled(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, shape []int,
	f func(dst []float64) error,
) error {
	var x tensor.Tensor
	if err := m.Alloc(&x, tensor.Float64, shape...); err != nil {
		return err
	}
	defer m.Release(&x)
	if err := f(tensor.Of[float64](&x)); err != nil {
		return err
	}
	return Convert(m, out, &x, to)
}

// doubledLike is doubled with the type and shape of x, which holds real numbers.
func doubledLike(
	m *machine.Machine, out, x *tensor.Tensor, f func(dst, src []float64) error,
) error {
	if !x.Type.Float() {
		return typeError(x.Type)
	}
	src, err := doubles(m, x)
	if err != nil {
		return err
	}
	return doubled(m, out, x.Type, x.Shape, func(dst []float64) error { return f(dst, src) })
}
