package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// allocate makes out a tensor of a type and shape with undefined elements. It accounts for the work
// of writing each of them once, so that a run over its limit of work ends before the work.
func allocate(m *machine.Machine, out *tensor.Tensor, t tensor.Type, shape ...int) error {
	if err := m.Alloc(out, t, shape...); err != nil {
		return err
	}
	return m.Tick(out.Len())
}

// temporary returns a tensor with undefined elements that is valid until the operator returns.
func temporary(m *machine.Machine, t tensor.Type, shape ...int) (*tensor.Tensor, error) {
	var x tensor.Tensor
	if err := allocate(m, &x, t, shape...); err != nil {
		return nil, err
	}
	m.AtEnd(&x)
	return &x, nil
}

// converted returns x, which may be nil, in another type. The result is valid until the operator
// returns.
func converted(m *machine.Machine, x *tensor.Tensor, to tensor.Type) (*tensor.Tensor, error) {
	if x == nil {
		return nil, nil
	}
	var y tensor.Tensor
	if err := Convert(m, &y, x, to); err != nil {
		return nil, err
	}
	m.AtEnd(&y)
	return &y, nil
}

// withConverted calls f with x in another type and releases that tensor afterwards. [Convert] needs
// it because it also runs outside of operators, where nothing ends the life of temporaries.
func withConverted(
	m *machine.Machine, x *tensor.Tensor, to tensor.Type, f func(y *tensor.Tensor) error,
) error {
	var y tensor.Tensor
	if err := Convert(m, &y, x, to); err != nil {
		return err
	}
	defer m.Release(&y)
	return f(&y)
}

// rearranged returns a temporary tensor of a shape with elements of x, as stridedCopy makes it with
// offset 0.
func rearranged(
	m *machine.Machine, x *tensor.Tensor, shape, dims, strides []int,
) (*tensor.Tensor, error) {
	var y tensor.Tensor
	if err := stridedCopy(m, &y, x, shape, 0, dims, strides); err != nil {
		return nil, err
	}
	m.AtEnd(&y)
	return &y, nil
}
