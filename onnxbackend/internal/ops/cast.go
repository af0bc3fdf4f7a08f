package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newCast(n *Node) (Func, error) {
	to := tensor.Type(n.Int("to", 0))
	if to.Runtime().Size() == 0 {
		return nil, fmt.Errorf("elements of %v are not held by this engine; cast to float32 or an integer type of 8 bits or more", to)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return Convert(m, out[0], in[0], to)
	}, nil
}

func newCastLike(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return Convert(m, out[0], in[0], in[1].Type)
	}, nil
}

// Convert converts x to a type. The 16-bit floats round as they would in memory, but stay float32.
func Convert(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	if x.Type == to {
		m.Share(out, x, x.Shape)
		return nil
	}
	switch to {
	case tensor.Float16:
		return rounded(m, out, x, func(v float32) float32 { return tensor.FromFloat16(tensor.ToFloat16(v)) })
	case tensor.BFloat16:
		return rounded(m, out, x, func(v float32) float32 { return tensor.FromBFloat16(tensor.ToBFloat16(v)) })
	case tensor.Float32:
		return castFrom[float32](m, out, x, to)
	case tensor.Float64:
		return castFrom[float64](m, out, x, to)
	case tensor.Int64:
		return castFrom[int64](m, out, x, to)
	case tensor.Int32:
		return castFrom[int32](m, out, x, to)
	case tensor.Int16:
		return castFrom[int16](m, out, x, to)
	case tensor.Int8:
		return castFrom[int8](m, out, x, to)
	case tensor.Uint64:
		return castFrom[uint64](m, out, x, to)
	case tensor.Uint32:
		return castFrom[uint32](m, out, x, to)
	case tensor.Uint16:
		return castFrom[uint16](m, out, x, to)
	case tensor.Uint8:
		return castFrom[uint8](m, out, x, to)
	case tensor.Bool:
		return castFrom[uint8](m, out, x, to)
	}
	return typeError(to)
}

// rounded converts to float32 and rounds.
func rounded(m *machine.Machine, out, x *tensor.Tensor, f func(float32) float32) error {
	var wide tensor.Tensor
	if err := Convert(m, &wide, x, tensor.Float32); err != nil {
		return err
	}
	defer m.Release(&wide)
	return mapEach(m, out, &wide, tensor.Float32, f)
}

func castFrom[R tensor.Number](m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	switch x.Type {
	case tensor.Float32:
		return mapEach(m, out, x, to, converter[float32, R](to, true))
	case tensor.Float64:
		return mapEach(m, out, x, to, converter[float64, R](to, true))
	case tensor.Int64:
		return mapEach(m, out, x, to, converter[int64, R](to, false))
	case tensor.Int32:
		return mapEach(m, out, x, to, converter[int32, R](to, false))
	case tensor.Int16:
		return mapEach(m, out, x, to, converter[int16, R](to, false))
	case tensor.Int8:
		return mapEach(m, out, x, to, converter[int8, R](to, false))
	case tensor.Uint64:
		return mapEach(m, out, x, to, converter[uint64, R](to, false))
	case tensor.Uint32:
		return mapEach(m, out, x, to, converter[uint32, R](to, false))
	case tensor.Uint16:
		return mapEach(m, out, x, to, converter[uint16, R](to, false))
	case tensor.Uint8, tensor.Bool:
		return mapEach(m, out, x, to, converter[uint8, R](to, false))
	}
	return typeError(x.Type)
}

// converter converts one element. Real numbers go to integers through int64, so that the result is
// the same on every machine.
func converter[T, R tensor.Number](to tensor.Type, fractions bool) func(T) R {
	switch {
	case to == tensor.Bool:
		return func(v T) R {
			if v != 0 {
				return 1
			}
			return 0
		}
	case fractions && !to.Float():
		return func(v T) R { return R(toInt(float64(v))) }
	}
	return func(v T) R { return R(v) }
}

// toInt drops the fraction; what does not fit becomes the nearest end, NaN becomes the lowest.
func toInt(v float64) int64 {
	switch {
	case v != v || v < math.MinInt64:
		return math.MinInt64
	case v >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(v)
}
