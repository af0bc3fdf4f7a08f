package compute

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Products of quantised numbers are computed in float64, which holds every sum of fewer than 2^37
// products of two bytes exactly.

// lessZero returns x as float64 less its zero points: one for all elements, or one for each place
// of an axis with this number of dimensions after it. zero may be nil.
func lessZero(m *machine.Machine, x, zero *tensor.Tensor, trailing int) (*tensor.Tensor, error) {
	wide, err := converted(m, x, tensor.Float64)
	if err != nil || zero == nil {
		return wide, err
	}
	z, err := converted(m, zero, tensor.Float64)
	if err != nil {
		return nil, err
	}
	appendOnes(z, trailing)
	var y tensor.Tensor
	if err := operationOf("Sub").run(m, &y, tensor.Float64, "Sub", wide, z); err != nil {
		return nil, err
	}
	m.AtEnd(&y)
	if !slices.Equal(y.Shape, x.Shape) {
		return nil, msg.Errorf("zero points of shape %v do not match shape %v", zero.Shape, x.Shape)
	}
	return &y, nil
}

// appendOnes appends dimensions of one place to a list of numbers, so that the list is broadcast
// along the dimensions that trail its own.
func appendOnes(p *tensor.Tensor, trailing int) {
	if p.Rank() == 1 && p.Len() > 1 {
		for range trailing {
			p.Shape = append(p.Shape, 1)
		}
	}
}

// An integerProduct computes a product of quantised numbers in float64: of data a and weights b
// less their zero points, plus a bias. The zero points and the bias may be nil.
type integerProduct struct {
	// run allocates out and fills it with the product.
	run func(m *machine.Machine, out, a, zeroA, b, zeroB, bias *tensor.Tensor) error
	// trailing returns, for a result of a rank, how many of its dimensions trail that of a list of
	// scales of a, of b and of the result, and of a list of zero points.
	trailing func(rank int) [4]int
}

// toInt32 makes the function of MatMulInteger or ConvInteger: inputs are a, b and their zero
// points.
func (p integerProduct) toInt32() Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var sum tensor.Tensor
		if err := p.run(m, &sum, in[0], given(in, 2), in[1], given(in, 3), nil); err != nil {
			return err
		}
		m.AtEnd(&sum)
		return Convert(m, out[0], &sum, tensor.Int32)
	}
}

// quantized makes the function of QLinearMatMul or QLinearConv: inputs are a and b, each with scale
// and zero point, scale and zero point of the result, and a bias in units of the product.
func (p integerProduct) quantized() Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var sum tensor.Tensor
		if err := p.run(m, &sum, in[0], in[2], in[3], in[5], given(in, 8)); err != nil {
			return err
		}
		m.AtEnd(&sum)
		return requantize(m, out[0], &sum, p.trailing(sum.Rank()), in[1], in[4], in[6], in[7])
	}
}

// NewMatMulInteger makes MatMulInteger: the product of two matrices of bytes, as int32.
func NewMatMulInteger(*Node) (Func, error) { return integerMatMul.toInt32(), nil }

// NewQLinearMatMul makes QLinearMatMul: the product of two quantised matrices, quantised again.
func NewQLinearMatMul(*Node) (Func, error) { return integerMatMul.quantized(), nil }

// integerMatMul is the product of two matrices. The zero points of a belong to its rows, those of b
// to its columns.
var integerMatMul = integerProduct{
	run: func(m *machine.Machine, out, a, zeroA, b, zeroB, _ *tensor.Tensor) error {
		x, err := lessZero(m, a, zeroA, 1)
		if err != nil {
			return err
		}
		y, err := lessZero(m, b, zeroB, 0)
		if err != nil {
			return err
		}
		return matMul(m, out, x, y)
	},
	trailing: func(int) [4]int { return [4]int{1, 0, 1, 1} },
}

// requantize makes round(x · scaleA · scaleB / scale) + zero, clipped to the range of zero's type.
// trailing holds how many dimensions of x trail that of each parameter, unless it is a single
// number. The steps follow the order of the specification, which ties at halves depend on.
func requantize(
	m *machine.Machine, out, x *tensor.Tensor, trailing [4]int, scaleA, scaleB, scale,
	zero *tensor.Tensor,
) error {
	least, largest, ok := zero.Type.Integer()
	if !ok {
		return typeError(zero.Type)
	}
	shape := x.Shape
	for i, p := range []*tensor.Tensor{scaleA, scaleB, scale, zero} {
		f, err := converted(m, p, tensor.Float64)
		if err != nil {
			return err
		}
		appendOnes(f, trailing[i])
		op := []string{"Mul", "Mul", "Div", "Add"}[i]
		// Rounding comes before the zero point is added.
		if op == "Add" {
			for i, v := range tensor.Of[float64](x) {
				tensor.Of[float64](x)[i] = math.RoundToEven(v)
			}
		}
		var y tensor.Tensor
		if err := operationOf(op).run(m, &y, tensor.Float64, op, x, f); err != nil {
			return err
		}
		m.AtEnd(&y)
		x = &y
	}
	if !slices.Equal(x.Shape, shape) {
		return msg.Errorf("scales do not match a result of shape %v", shape)
	}
	src := tensor.Of[float64](x)
	return viaFloat64(m, out, zero.Type, shape, func(dst []float64) error {
		return inChunks(m, len(dst), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				dst[i] = max(least, min(largest, src[i]))
			}
		})
	})
}

// NewConvInteger makes ConvInteger: the convolution of bytes with bytes, as int32.
func NewConvInteger(n *Node) (Func, error) { return integerConv(n).toInt32(), nil }

// NewQLinearConv makes QLinearConv: the convolution of quantised pictures, quantised again. Its
// bias is int32 in units of scaleA · scaleB.
func NewQLinearConv(n *Node) (Func, error) { return integerConv(n).quantized(), nil }

// integerConv returns the convolution of a node whose kernels may have a zero point and a scale for
// each map.
func integerConv(n *Node) integerProduct {
	win, groups := newWindow(n), n.Int("group", 1)
	return integerProduct{
		run: func(m *machine.Machine, out, x, zeroX, w, zeroW, bias *tensor.Tensor) error {
			a, err := lessZero(m, x, zeroX, 0)
			if err != nil {
				return err
			}
			b, err := lessZero(m, w, zeroW, w.Rank()-1)
			if err != nil {
				return err
			}
			c, err := converted(m, bias, tensor.Float64)
			if err != nil {
				return err
			}
			return convolve(m, out, win, groups, a, b, c, epilogue{})
		},
		trailing: func(rank int) [4]int { return [4]int{0, rank - 2, 0, 0} },
	}
}
