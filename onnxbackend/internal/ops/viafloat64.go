package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Rare operators are written once, on float64, for all types that they take.

// doubles returns the elements of t, which may be nil, as float64. They are valid until the
// operator returns.
func doubles(m *machine.Machine, t *tensor.Tensor) ([]float64, error) {
	x, err := converted(m, t, tensor.Float64)
	if x == nil {
		return nil, err
	}
	return tensor.Of[float64](x), nil
}

// allDoubles is doubles of several tensors.
func allDoubles(m *machine.Machine, ts ...*tensor.Tensor) ([][]float64, error) {
	lists := make([][]float64, len(ts))
	for i, t := range ts {
		var err error
		if lists[i], err = doubles(m, t); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// doubled allocates out with a type and shape and fills it with the float64 elements that f
// computes.
func doubled(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, shape []int,
	f func(dst []float64) error,
) error {
	x, err := temporary(m, tensor.Float64, shape...)
	if err != nil {
		return err
	}
	if err := f(tensor.Of[float64](x)); err != nil {
		return err
	}
	return Convert(m, out, x, to)
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
