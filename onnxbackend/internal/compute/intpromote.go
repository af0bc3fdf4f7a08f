package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Operators compute in four types: float32, float64, int64 and uint64. Narrower integers are
// promoted first, and results are truncated to their size. That equals arithmetic in their own
// size: sums, differences and products wrap around alike, and everything else fits. Each operator
// is compiled for four types instead of ten.

// wide returns the type in which elements of t are computed. Bools count as unsigned integers. Real
// numbers are not promoted.
func wide(t tensor.Type) tensor.Type {
	switch t {
	case tensor.Int2, tensor.Int4, tensor.Int8, tensor.Int16, tensor.Int32:
		return tensor.Int64
	case tensor.Bool, tensor.Uint2, tensor.Uint4, tensor.Uint8, tensor.Uint16, tensor.Uint32:
		return tensor.Uint64
	}
	return t
}

// narrow reports whether t is an integer type of fewer than 64 bits. Bools are none.
func narrow(t tensor.Type) bool { return t != tensor.Bool && wide(t) != t }

// widened calls f with the inputs promoted and converts its result to a type. Inputs may be nil.
// The promoted inputs are valid until the operator returns.
func widened(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, f func(out *tensor.Tensor,
		in []*tensor.Tensor) error, in ...*tensor.Tensor,
) error {
	args := make([]*tensor.Tensor, len(in))
	for i, x := range in {
		if x == nil {
			continue
		}
		var err error
		if args[i], err = converted(m, x, wide(x.Type)); err != nil {
			return err
		}
	}
	var result tensor.Tensor
	defer m.Release(&result)
	if err := f(&result, args); err != nil {
		return err
	}
	return Convert(m, out, &result, to)
}

// byType holds the function of an operator for each type that operators compute in. A function is
// nil if the operator does not accept the type. P are parameters that a call passes through. A
// value of it is built once, for the table or the node, so that a run only selects a function.
type byType[P any] struct {
	f32, f64, i64, u64 func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, p P) error
	bools              bool // bools are accepted too, and computed as unsigned integers
}

// noParameters is for operators whose functions depend on their inputs alone.
type noParameters struct{}

// of returns the function for a type, or nil.
func (f *byType[P]) of(
	t tensor.Type,
) func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, p P) error {
	switch {
	case t == tensor.Float32:
		return f.f32
	case t == tensor.Float64:
		return f.f64
	case wide(t) == tensor.Int64:
		return f.i64
	case wide(t) == tensor.Uint64 && (f.bools || t != tensor.Bool):
		return f.u64
	}
	return nil
}

// run computes out from inputs of one type; omitted ones are nil. Integers of fewer than 64 bits
// are promoted, and the result is converted to a type afterwards.
func (f *byType[P]) run(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, p P, in ...*tensor.Tensor,
) error {
	if err := sameType(in...); err != nil {
		return err
	}
	t := in[0].Type
	compute := f.of(t)
	if compute == nil {
		return typeError(t)
	}
	if wide(t) == t {
		return compute(m, out, in, p)
	}
	return f.runWidened(m, out, to, p, in)
}

// runWidened is a function of its own because its closure moves p to the heap, which the common
// types must not pay for.
func (f *byType[P]) runWidened(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, p P, in []*tensor.Tensor,
) error {
	return widened(m, out, to, func(out *tensor.Tensor, in []*tensor.Tensor) error {
		return f.of(in[0].Type)(m, out, in, p)
	}, in...)
}
