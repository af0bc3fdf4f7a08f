package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewPow makes Pow. The result has the type of the base. An exponent of another type is converted
// to it, except that integers with real exponents are computed in float64.
func NewPow(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, b := in[0], in[1]
		if !a.Type.Float() && b.Type.Float() {
			return realPow(m, out[0], a, b)
		}
		if b.Type != a.Type {
			exponent, err := converted(m, b, a.Type)
			if err != nil {
				return err
			}
			in = []*tensor.Tensor{a, exponent}
		}
		return powByType.run(m, out[0], a.Type, noParameters{}, in...)
	}, nil
}

// powByType holds powers of operands of one type. Unsigned integers are not in the specification.
var powByType = byType[noParameters]{
	f32: func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, _ noParameters) error {
		return pairwise(m, out, in[0], in[1], tensor.Float32, powRow[float32])
	},
	f64: func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, _ noParameters) error {
		return pairwise(m, out, in[0], in[1], tensor.Float64, powRow[float64])
	},
	i64: func(m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, _ noParameters) error {
		return pairwise(m, out, in[0], in[1], tensor.Int64, rowOf(intPow))
	},
}

// realPow raises integers to real powers and truncates the result.
func realPow(m *machine.Machine, out, a, b *tensor.Tensor) error {
	base, err := converted(m, a, tensor.Float64)
	if err != nil {
		return err
	}
	exponent, err := converted(m, b, tensor.Float64)
	if err != nil {
		return err
	}
	var result tensor.Tensor
	defer m.Release(&result)
	if err := pairwise(m, &result, base, exponent, tensor.Float64, powRow[float64]); err != nil {
		return err
	}
	return Convert(m, out, &result, a.Type)
}

// powRow computes squares and roots without the general power, since normalisation layers consist
// of these.
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
	rowOf(func(x, y T) T { return T(math.Pow(float64(x), float64(y))) })(dst, a, b)
}

// intPow computes integer powers by repeated squaring; overflow wraps around. Negative exponents
// give the truncated reciprocal, which is 0 unless the base is 1 or -1.
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
