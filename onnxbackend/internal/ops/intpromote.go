package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Operators compute in four types: float32, float64, int64 and uint64. Narrower integers are
// promoted first, and results are truncated to their size. That equals arithmetic in their own
// size: sums, differences and products wrap around alike, and everything else fits. Each operator
// is compiled for four types instead of ten.

// wide returns the type in which elements of t are computed. Bools count as unsigned integers.
func wide(t tensor.Type) tensor.Type {
	switch t {
	case tensor.Int2, tensor.Int4, tensor.Int8, tensor.Int16, tensor.Int32:
		return tensor.Int64
	case tensor.Bool, tensor.Uint2, tensor.Uint4, tensor.Uint8, tensor.Uint16, tensor.Uint32:
		return tensor.Uint64
	}
	return t
}

// narrow reports whether t is an integer type that is computed in a wider one.
func narrow(t tensor.Type) bool { return t != tensor.Bool && wide(t) != t }

// widened calls f with the inputs promoted and converts its result to a type. Inputs may be nil.
func widened(
	m *machine.Machine, out *tensor.Tensor, to tensor.Type, f func(out *tensor.Tensor,
		in []*tensor.Tensor) error, in ...*tensor.Tensor,
) error {
	held := make([]tensor.Tensor, len(in)+1)
	defer func() {
		for i := range held {
			m.Release(&held[i])
		}
	}()
	args := make([]*tensor.Tensor, len(in))
	for i, x := range in {
		if x == nil {
			continue
		}
		args[i] = &held[i]
		if err := Convert(m, args[i], x, wide(x.Type)); err != nil {
			return err
		}
	}
	result := &held[len(in)]
	if err := f(result, args); err != nil {
		return err
	}
	return Convert(m, out, result, to)
}
