package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newCumSum(n *Node) (Func, error) { return buildCumulative(n, false) }

func newCumProd(n *Node) (Func, error) { return buildCumulative(n, true) }

// buildCumulative makes CumSum and CumProd.
func buildCumulative(n *Node, product bool) (Func, error) {
	exclusive, reverse := n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		axis, err := intOf(in[1])
		if err != nil {
			return err
		}
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		return cumSum(m, out[0], x, a, product, exclusive, reverse)
	}, nil
}

func cumSum(
	m *machine.Machine, out, x *tensor.Tensor, axis int, product, exclusive, reverse bool,
) error {
	if narrow(x.Type) {
		return widened(m, out, x.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
			return cumSum(m, out, in[0], axis, product, exclusive, reverse)
		}, x)
	}
	if err := m.Alloc(out, x.Type, x.Shape...); err != nil {
		return err
	}
	if err := m.Tick(x.Len()); err != nil {
		return err
	}
	switch x.Type {
	case tensor.Float32:
		cumSumWide[float32](out, x, axis, product, exclusive, reverse)
	case tensor.Float64:
		cumSumWide[float64](out, x, axis, product, exclusive, reverse)
	case tensor.Int64, tensor.Uint64: // signed and unsigned sums and products have the same bits
		cumSumWide[int64](out, x, axis, product, exclusive, reverse)
	default:
		return typeError(x.Type)
	}
	return nil
}

func cumSumWide[T tensor.Number](
	out, x *tensor.Tensor, axis int, product, exclusive, reverse bool,
) {
	src, dst := tensor.Of[T](x), tensor.Of[T](out)
	outer, n, inner := split3(x.Shape, axis)
	for o := range outer {
		for i := range inner {
			var sum T
			if product {
				sum = 1
			}
			for j := range n {
				if reverse {
					j = n - 1 - j
				}
				p := (o*n+j)*inner + i
				if exclusive {
					dst[p] = sum
				}
				if product {
					sum *= src[p]
				} else {
					sum += src[p]
				}
				if !exclusive {
					dst[p] = sum
				}
			}
		}
	}
}
