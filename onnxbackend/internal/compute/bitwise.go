package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Bitwise makes the factory of an operator on the bits of integers of one type. It computes signed
// integers as unsigned ones of 64 bits and truncates the result, which leaves the same bits.
func Bitwise(f func(a, b uint64) uint64) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			if err := sameType(in...); err != nil {
				return err
			}
			if _, _, ok := in[0].Type.Integer(); !ok {
				return typeError(in[0].Type)
			}
			return widened(m, out[0], in[0].Type,
				func(out *tensor.Tensor, in []*tensor.Tensor) error {
					return pairwise(m, out, in[0], in[1], in[0].Type, rowOf(f))
				}, in...)
		}, nil
	}
}

// NewBitShift makes BitShift, which is defined for unsigned integers. A shift by the number of bits
// or more gives 0, as in Go.
func NewBitShift(n *Node) (Func, error) {
	shift := func(a, b uint64) uint64 { return a << b }
	if n.Text("direction", "") == "RIGHT" {
		shift = func(a, b uint64) uint64 { return a >> b }
	}
	f, err := Bitwise(shift)(n)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if t := in[0].Type; t != tensor.Uint64 && wide(t) != tensor.Uint64 {
			return typeError(t)
		}
		return f(m, in, out)
	}, err
}

// NewBitwiseNot makes BitwiseNot. It passes its input twice to share the code of binary operators.
func NewBitwiseNot(n *Node) (Func, error) {
	f, err := Bitwise(func(a, _ uint64) uint64 { return ^a })(n)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return f(m, []*tensor.Tensor{in[0], in[0]}, out)
	}, err
}

// NewBitCast makes BitCast, which reads the bytes of a tensor as elements of another type of the
// same size. A cast to bool is rejected, since other bytes than 0 and 1 would be invalid.
func NewBitCast(n *Node) (Func, error) {
	to := tensor.Type(n.Int("to", 0))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if to.Size() == 0 || to.Bits() != in[0].Type.Bits() || to == tensor.Bool &&
			in[0].Type != to {
			return typeError(to)
		}
		m.Share(out[0], in[0], in[0].Shape)
		out[0].Type = to
		return nil
	}, nil
}
