package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewComparison makes Equal, Greater, Less, GreaterOrEqual and LessOrEqual.
func NewComparison(n *Node) (Func, error) {
	op := n.Op
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return compareByType.run(m, out[0], tensor.Bool, op, in...)
	}, nil
}

// compareByType holds comparisons for all types. Their parameter is the operator's name. Bools are
// accepted for Equal.
var compareByType = byType[string]{
	f32: compare[float32], f64: compare[float64], i64: compare[int64], u64: compare[uint64],
	bools: true,
}

// compare writes a bool for each pair of elements of two broadcast inputs.
func compare[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, op string,
) error {
	return pairwise(m, out, in[0], in[1], tensor.Bool, compareRow[T](op))
}

// compareRow returns the function of a comparison on rows. It panics for an unknown name, which
// only a mistake in the table can be.
func compareRow[T tensor.Number](op string) row[T, uint8] {
	switch op {
	case "Equal":
		return rowOf(func(a, b T) uint8 { return truth(a == b) })
	case "Greater":
		return rowOf(func(a, b T) uint8 { return truth(a > b) })
	case "Less":
		return rowOf(func(a, b T) uint8 { return truth(a < b) })
	case "GreaterOrEqual":
		return rowOf(func(a, b T) uint8 { return truth(a >= b) })
	case "LessOrEqual":
		return rowOf(func(a, b T) uint8 { return truth(a <= b) })
	}
	panic("ops: no comparison " + op)
}

// truth returns 1 for true and 0 for false, the elements of a bool tensor.
func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Logic makes the factory of And, Or and Xor, which accept bools only.
func Logic(f func(a, b uint8) uint8) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			for _, x := range in {
				if x.Type != tensor.Bool {
					return typeError(x.Type)
				}
			}
			return pairwise(m, out[0], in[0], in[1], tensor.Bool, rowOf(f))
		}, nil
	}
}

// NewNot makes Not, which accepts bools only.
func NewNot(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if in[0].Type != tensor.Bool {
			return typeError(in[0].Type)
		}
		return mapEach(m, out[0], in[0], tensor.Bool, func(v uint8) uint8 { return 1 - v })
	}, nil
}

// test makes the function of IsNaN and IsInf: a bool for each element of a real tensor.
func test(f func(float64) bool) Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		switch in[0].Type {
		case tensor.Float32:
			return mapEach(m, out[0], in[0], tensor.Bool,
				func(v float32) uint8 { return truth(f(float64(v))) })
		case tensor.Float64:
			return mapEach(m, out[0], in[0], tensor.Bool,
				func(v float64) uint8 { return truth(f(v)) })
		}
		return typeError(in[0].Type)
	}
}

// NewIsNaN makes IsNaN.
func NewIsNaN(*Node) (Func, error) { return test(math.IsNaN), nil }

// NewIsInf makes IsInf. Attributes exclude the infinity of one sign.
func NewIsInf(n *Node) (Func, error) {
	pos, neg := n.Int("detect_positive", 1) != 0, n.Int("detect_negative", 1) != 0
	return test(func(v float64) bool {
		return pos && math.IsInf(v, 1) || neg &&
			math.IsInf(v, -1)
	}), nil
}
