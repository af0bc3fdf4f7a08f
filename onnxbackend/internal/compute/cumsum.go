package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewCumSum makes CumSum: running sums along an axis, which is an input.
func NewCumSum(n *Node) (Func, error) { return buildCumulative(n, false) }

// NewCumProd makes CumProd: running products along an axis, which is an input.
func NewCumProd(n *Node) (Func, error) { return buildCumulative(n, true) }

// buildCumulative makes CumSum, or CumProd if product. The axis is the scalar in input 1.
func buildCumulative(n *Node, product bool) (Func, error) {
	c := cumulation{product: product, exclusive: n.Int("exclusive", 0) != 0,
		reverse: n.Int("reverse", 0) != 0}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		axis, err := intOf(in[1])
		if err != nil {
			return err
		}
		c := c
		if c.axis, err = axisOf(axis, in[0].Rank()); err != nil {
			return err
		}
		return cumulateByType.run(m, out[0], in[0].Type, c, in[:1]...)
	}, nil
}

// A cumulation is what CumSum or CumProd computes along an axis.
type cumulation struct {
	axis int
	// product multiplies the elements instead of adding them.
	product bool
	// exclusive omits an element at its own place.
	exclusive bool
	// reverse goes from the last place to the first.
	reverse bool
}

// cumulateByType computes unsigned integers like signed ones: their sums and products have the same
// bits.
var cumulateByType = byType[cumulation]{
	f32: cumulate[float32], f64: cumulate[float64], i64: cumulate[int64], u64: cumulate[int64],
}

// cumulate writes running sums or products of input 0 along an axis, in the type of the elements.
func cumulate[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, c cumulation,
) error {
	x := in[0]
	if err := allocate(m, out, x.Type, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[T](x), tensor.Of[T](out)
	outer, n, inner := splitAt(x.Shape, c.axis)
	for line := range outer * inner {
		var sum T
		if c.product {
			sum = 1
		}
		for j := range n {
			if c.reverse {
				j = n - 1 - j
			}
			p := (line/inner*n+j)*inner + line%inner
			before := sum
			if c.product {
				sum *= src[p]
			} else {
				sum += src[p]
			}
			if dst[p] = sum; c.exclusive {
				dst[p] = before
			}
		}
	}
	return nil
}
