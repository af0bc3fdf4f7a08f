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
		return nil, fmt.Errorf("elements of %v are not held by this engine; cast to float32 or "+
			"an integer type of 8 bits or more", to)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return n.cast(m, out[0], in[0], to)
	}, nil
}

// cast is Convert with the attributes that say how small real numbers are rounded.
func (n *Node) cast(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	if !to.Mini() || x.Type == to {
		return Convert(m, out, x, to)
	}
	return toMini(m, out, x, to, n.Int("saturate", 1) != 0, n.Text("round_mode", "up"))
}

func newCastLike(n *Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		to := in[1].Type
		if to == tensor.Float32 && n.Like != tensor.Undefined {
			to = n.Like
		}
		return n.cast(m, out[0], in[0], to)
	}, nil
}

// Convert converts x to a type. The 16-bit floats round as they would in memory, but stay float32.
func Convert(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	from := x.Type
	switch {
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
	if via := between(from, to); via != to {
		return withConverted(m, x, via, func(y *tensor.Tensor) error { return Convert(m, out, y, to) })
	}
	return convert(m, out, x, to)
}

// between returns the wide type that lies on the way from one type to another, or to. Real numbers
// go to integers through int64, so that the result is the same on every machine.
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

func real(t tensor.Type) bool { return t.Float() || t.Mini() }

// toMini converts to a real number of 8 bits or fewer.
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

// rounded converts to float32 and rounds.
func rounded(m *machine.Machine, out, x *tensor.Tensor, f func(float32) float32) error {
	return withConverted(m, x, tensor.Float32, func(y *tensor.Tensor) error {
		return mapEach(m, out, y, tensor.Float32, f)
	})
}

// convert takes one step: from a narrow type to its wide one, or from a wide type to any.
func convert(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	switch x.Type {
	case tensor.Int2, tensor.Int4, tensor.Int8:
		return mapEach(m, out, x, to, as[int8, int64])
	case tensor.Int16:
		return mapEach(m, out, x, to, as[int16, int64])
	case tensor.Int32:
		return mapEach(m, out, x, to, as[int32, int64])
	case tensor.Uint2, tensor.Uint4, tensor.Uint8, tensor.Bool:
		return mapEach(m, out, x, to, as[uint8, uint64])
	case tensor.Uint16:
		return mapEach(m, out, x, to, as[uint16, uint64])
	case tensor.Uint32:
		return mapEach(m, out, x, to, as[uint32, uint64])
	case tensor.Float32:
		switch to {
		case tensor.Bool:
			return mapEach(m, out, x, to, nonzero[float32])
		case tensor.Int64:
			return mapEach(m, out, x, to, func(v float32) int64 { return toInt(float64(v)) })
		}
		return mapEach(m, out, x, to, as[float32, float64])
	case tensor.Float64:
		switch to {
		case tensor.Bool:
			return mapEach(m, out, x, to, nonzero[float64])
		case tensor.Int64:
			return mapEach(m, out, x, to, toInt)
		}
		return mapEach(m, out, x, to, as[float64, float32])
	}
	if from := x.Type; from.Mini() {
		return mapEach(m, out, x, to, func(v uint8) float32 { return tensor.FromMini(from, v) })
	}
	return fromInteger(m, out, x, to)
}

// fromInteger converts int64 and uint64. Cutting to a narrower integer is the same for both.
func fromInteger(m *machine.Machine, out, x *tensor.Tensor, to tensor.Type) error {
	signed := x.Type == tensor.Int64
	switch {
	case to == tensor.Bool:
		return mapEach(m, out, x, to, nonzero[uint64])
	case to == tensor.Float32 && signed:
		return mapEach(m, out, x, to, as[int64, float32])
	case to == tensor.Float64 && signed:
		return mapEach(m, out, x, to, as[int64, float64])
	case to == tensor.Float32:
		return mapEach(m, out, x, to, as[uint64, float32])
	case to == tensor.Float64:
		return mapEach(m, out, x, to, as[uint64, float64])
	case to.Bits() < 8:
		return mapEach(m, out, x, to, func(v uint64) uint8 { return tensor.Cut(to, uint8(v)) })
	case to.Size() == 1:
		return mapEach(m, out, x, to, as[uint64, uint8])
	case to.Size() == 2:
		return mapEach(m, out, x, to, as[uint64, uint16])
	case to.Size() == 4:
		return mapEach(m, out, x, to, as[uint64, uint32])
	}
	return typeError(x.Type)
}

func as[T, R tensor.Number](v T) R { return R(v) }

func nonzero[T tensor.Number](v T) uint8 { return truth(v != 0) }

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
