package compute

import (
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewCast makes Cast. Types of 16-bit floats are held as float32 and only rounded.
func NewCast(n *Node) (Func, error) {
	to := tensor.Type(n.Int("to", 0))
	if to.Runtime().Size() == 0 {
		return nil, msg.Errorf("this engine does not support elements of %v; cast to float32 or "+
			"an integer type of 8 bits or more", to)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return n.cast(m, out[0], in[0], to)
	}, nil
}

// cast is Convert with the attributes that say how real numbers of 8 bits or fewer are rounded:
// saturate clips at the largest value, round_mode applies to E8M0.
func (n *Node) cast(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	if !to.Mini() || x.Type == to {
		return Convert(m, out, x, to)
	}
	return toMini(m, out, x, to, n.Int("saturate", 1) != 0, n.Text("round_mode", "up"))
}

// NewCastLike makes CastLike. The type comes from the second input, or from the file if that names
// a 16-bit float, which is float32 in memory.
func NewCastLike(n *Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		to := in[1].Type
		if to == tensor.Float32 && n.Like != tensor.Undefined {
			to = n.Like
		}
		return n.cast(m, out[0], in[0], to)
	}, nil
}

// Convert converts x to a type. The 16-bit floats round as they would in memory, but stay float32.
// Types of the same bits share memory with x. The result is the same on every machine: real numbers
// beyond an integer's range become its nearest end, NaN the lowest value.
func Convert(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	from := x.Type
	switch {
	// Integers of the same size differ in type only. A bool is a byte, but not every byte is a
	// bool.
	case from == to, !real(from) && !real(to) && to != tensor.Bool && from.Bits() == to.Bits():
		m.Share(out, x, x.Shape)
		out.Type = to
		return nil
	case to == tensor.Float16:
		return rounded(m, out, x,
			func(v float32) float32 { return tensor.FromFloat16(tensor.ToFloat16(v)) })
	case to == tensor.BFloat16:
		return rounded(m, out, x,
			func(v float32) float32 { return tensor.FromBFloat16(tensor.ToBFloat16(v)) })
	case to.Mini():
		return toMini(m, out, x, to, true, "up")
	case to.Size() == 0:
		return typeError(to)
	}
	// One step leads to a type on the way, from which Convert continues.
	if via := between(from, to); via != to {
		return withConverted(m, x, via, func(y *tensor.Tensor) error {
			return Convert(m, out, y, to)
		})
	}
	return convert(m, out, x, to)
}

// between returns the wide type that lies on the way from one type to another, or to if there is
// none. Real numbers go to integers through int64, so that the result is the same on every machine.
// Small types go through their wide one, which keeps the number of conversions linear in that of
// types.
func between(from, to tensor.Type) tensor.Type {
	switch {
	case wide(from) != from:
		return wide(from)
	case from.Mini():
		return tensor.Float32
	case from.Float() && !to.Float() && to != tensor.Bool:
		return tensor.Int64
	}
	return to
}

// real reports whether elements are real numbers of any size.
func real(t tensor.Type) bool { return t.Float() || t.Mini() }

// toMini converts to a real number of 8 bits or fewer by way of float32.
func toMini(
	m *machine.Machine, out, x *tensor.Tensor, to tensor.Type, saturate bool, round string,
) error {
	return withConverted(m, x, tensor.Float32, func(y *tensor.Tensor) error {
		return mapEach(m, out, y, to, func(v float32) uint8 {
			if to == tensor.Float8E8M0 {
				return tensor.ToE8M0(v, saturate, round)
			}
			return tensor.ToMini(to, v, saturate)
		})
	})
}

// rounded converts to float32 and rounds by f.
func rounded(m *machine.Machine, out, x *tensor.Tensor, f func(float32) float32) error {
	return withConverted(m, x, tensor.Float32, func(y *tensor.Tensor) error {
		return mapEach(m, out, y, tensor.Float32, f)
	})
}

// convert takes one step: from a narrow type to its 64-bit one, or from a 64-bit type to any.
func convert(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	if f := directly[[2]tensor.Type{x.Type, to}]; f != nil {
		return f(m, out, x, to)
	}
	from := x.Type
	switch {
	case from.Mini():
		return mapEach(m, out, x, to, func(v uint8) float32 { return tensor.FromMini(from, v) })
	case to.Bits() < 8:
		return mapEach(m, out, x, to, func(v uint64) uint8 { return tensor.LowBits(to, uint8(v)) })
	case to.Size() == 1:
		return as[uint64, uint8](m, out, x, to)
	case to.Size() == 2:
		return as[uint64, uint16](m, out, x, to)
	case to.Size() == 4:
		return as[uint64, uint32](m, out, x, to)
	}
	return typeError(from)
}

// A conversion makes out x in another type.
type conversion func(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error

// directly holds the conversions from a type to another one in one step. Those from 64-bit integers
// to narrower ones are missing, since they depend only on the size. A type without a path of steps
// that ends here is not supported.
var directly = map[[2]tensor.Type]conversion{
	{tensor.Int2, tensor.Int64}:      as[int8, int64],
	{tensor.Int4, tensor.Int64}:      as[int8, int64],
	{tensor.Int8, tensor.Int64}:      as[int8, int64],
	{tensor.Int16, tensor.Int64}:     as[int16, int64],
	{tensor.Int32, tensor.Int64}:     as[int32, int64],
	{tensor.Bool, tensor.Uint64}:     as[uint8, uint64],
	{tensor.Uint2, tensor.Uint64}:    as[uint8, uint64],
	{tensor.Uint4, tensor.Uint64}:    as[uint8, uint64],
	{tensor.Uint8, tensor.Uint64}:    as[uint8, uint64],
	{tensor.Uint16, tensor.Uint64}:   as[uint16, uint64],
	{tensor.Uint32, tensor.Uint64}:   as[uint32, uint64],
	{tensor.Float32, tensor.Float64}: as[float32, float64],
	{tensor.Float32, tensor.Int64}:   toInteger[float32],
	{tensor.Float32, tensor.Bool}:    nonzero[float32],
	{tensor.Float64, tensor.Float32}: as[float64, float32],
	{tensor.Float64, tensor.Int64}:   toInteger[float64],
	{tensor.Float64, tensor.Bool}:    nonzero[float64],
	{tensor.Int64, tensor.Float32}:   as[int64, float32],
	{tensor.Int64, tensor.Float64}:   as[int64, float64],
	{tensor.Int64, tensor.Bool}:      nonzero[uint64],
	{tensor.Uint64, tensor.Float32}:  as[uint64, float32],
	{tensor.Uint64, tensor.Float64}:  as[uint64, float64],
	{tensor.Uint64, tensor.Bool}:     nonzero[uint64],
}

// as is Go's conversion, which truncates integers and rounds real numbers.
func as[T, R tensor.Number](m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	return mapEach(m, out, x, to, func(v T) R { return R(v) })
}

// nonzero makes bools: 1 for every element but 0, also for NaN.
func nonzero[T tensor.Number](m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	return mapEach(m, out, x, to, func(v T) uint8 { return truth(v != 0) })
}

// toInteger makes int64 by toInt, since Go leaves the conversion of numbers beyond the range to the
// processor.
func toInteger[T tensor.Number](m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	return mapEach(m, out, x, to, func(v T) int64 { return toInt(float64(v)) })
}

// toInt drops the fraction. A number beyond the range becomes the nearest end, NaN the lowest
// value.
func toInt(v float64) int64 {
	switch {
	case v != v || v < math.MinInt64:
		return math.MinInt64
	case v >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(v)
}
