package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Rare operators are written once, on float64, for all types that they accept.

// asFloat64 returns the elements of t, which may be nil, as float64. They are valid until the
// operator returns, and may be the memory of t, so callers must not write to them.
func asFloat64(m *machine.Machine, t *tensor.Tensor) ([]float64, error) {
	x, err := converted(m, t, tensor.Float64)
	if x == nil {
		return nil, err
	}
	return tensor.Of[float64](x), nil
}

// allAsFloat64 is asFloat64 of several tensors.
func allAsFloat64(m *machine.Machine, ts ...*tensor.Tensor) ([][]float64, error) {
	lists := make([][]float64, len(ts))
	for i, t := range ts {
		var err error
		if lists[i], err = asFloat64(m, t); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// viaFloat64 makes out of a type and shape from the float64 elements that f computes. dst has
// undefined elements.
func viaFloat64(
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

// viaFloat64Like is viaFloat64 with the type and shape of x, which holds real numbers.
func viaFloat64Like(
	m *machine.Machine, out, x *tensor.Tensor, f func(dst, src []float64) error,
) error {
	if !x.Type.Float() {
		return typeError(x.Type)
	}
	src, err := asFloat64(m, x)
	if err != nil {
		return err
	}
	return viaFloat64(m, out, x.Type, x.Shape, func(dst []float64) error { return f(dst, src) })
}
