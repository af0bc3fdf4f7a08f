package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newPow computes powers in the type of the base.
func newPow(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, b := in[0], in[1]
		if !a.Type.Float() && b.Type.Float() {
			return realPow(m, out[0], a, b)
		}
		exponent := tensor.Tensor{}
		if err := Convert(m, &exponent, b, a.Type); err != nil {
			return err
		}
		defer m.Release(&exponent)
		switch a.Type {
		case tensor.Float32:
			return pairwise(m, out[0], a, &exponent, a.Type, powRow[float32])
		case tensor.Float64:
			return pairwise(m, out[0], a, &exponent, a.Type, powRow[float64])
		case tensor.Int64:
			return pairwise(m, out[0], a, &exponent, a.Type, each(intPow))
		case tensor.Int32:
			return widened(m, out[0], a.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
				return pairwise(m, out, in[0], in[1], tensor.Int64, each(intPow))
			}, a, &exponent)
		}
		return typeError(a.Type)
	}, nil
}

// realPow raises integers to real powers and truncates the result.
func realPow(m *machine.Machine, out, a, b *tensor.Tensor) error {
	var base, exponent, result tensor.Tensor
	defer func() { m.Release(&base); m.Release(&exponent); m.Release(&result) }()
	if err := Convert(m, &base, a, tensor.Float64); err != nil {
		return err
	}
	if err := Convert(m, &exponent, b, tensor.Float64); err != nil {
		return err
	}
	if err := pairwise(m, &result, &base, &exponent, tensor.Float64, powRow[float64]); err != nil {
		return err
	}
	return Convert(m, out, &result, a.Type)
}

// powRow computes squares and roots without the general power, since normalisation layers use
// those.
func powRow[T float32 | float64](dst, a, b []T) {
	if len(b) == 1 && len(a) == len(dst) {
		switch b[0] {
		case 1:
			copy(dst, a)
			return
		case 2:
			for i, v := range a {
				dst[i] = v * v
			}
			return
		case 0.5:
			for i, v := range a {
				dst[i] = T(math.Sqrt(float64(v)))
			}
			return
		}
	}
	each(func(x, y T) T { return T(math.Pow(float64(x), float64(y))) })(dst, a, b)
}

func intPow(base, exponent int64) int64 {
	if exponent < 0 {
		switch {
		case base == 1, base == -1 && exponent%2 == 0:
			return 1
		case base == -1:
			return -1
		}
		return 0
	}
	r := int64(1)
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			r *= base
		}
		base *= base
	}
	return r
}
