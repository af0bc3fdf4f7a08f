package ops

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newArgMin(n *Node) (Func, error) { return buildArg(n, false) }

func newArgMax(n *Node) (Func, error) { return buildArg(n, true) }

// buildArg makes ArgMax and ArgMin.
func buildArg(n *Node, largest bool) (Func, error) {
	axis, keep, last := n.Int("axis", 0), n.Int("keepdims", 1) != 0, n.Int("select_last_index", 0) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if narrow(x.Type) {
			var exact tensor.Tensor
			if err := Convert(m, &exact, x, tensor.Float64); err != nil {
				return err
			}
			defer m.Release(&exact)
			x = &exact
		}
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		if x.Shape[a] == 0 {
			return fmt.Errorf("no element to choose from in shape %v", x.Shape)
		}
		var space [8]int
		shape := append(space[:0], x.Shape[:a]...)
		if keep {
			shape = append(shape, 1)
		}
		if err := m.Alloc(out[0], tensor.Int64, append(shape, x.Shape[a+1:]...)...); err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		switch x.Type {
		case tensor.Float32:
			arg(out[0], tensor.Of[float32](x), x.Shape, a, largest, last)
		case tensor.Float64:
			arg(out[0], tensor.Of[float64](x), x.Shape, a, largest, last)
		case tensor.Int64:
			arg(out[0], tensor.Of[int64](x), x.Shape, a, largest, last)
		default:
			return typeError(x.Type)
		}
		return nil
	}, nil
}

func arg[T tensor.Number](out *tensor.Tensor, src []T, shape []int, axis int, largest, last bool) {
	dst := tensor.Of[int64](out)
	outer, n, inner := split3(shape, axis)
	for o := range outer {
		for i := range inner {
			base, at := o*n*inner+i, 0
			best := src[base]
			for j := 1; j < n; j++ {
				v := src[base+j*inner]
				if largest && v > best || !largest && v < best || last && v == best {
					best, at = v, j
				}
			}
			dst[o*inner+i] = int64(at)
		}
	}
}

func newTopK(n *Node) (Func, error) {
	axis, largest := n.Int("axis", -1), n.Int("largest", 1) != 0
	fixed := n.Int("k", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, k := in[0], fixed
		if t := given(in, 1); t != nil {
			var err error
			if k, err = intOf(t); err != nil {
				return err
			}
		}
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		if k < 0 || k > x.Shape[a] {
			return fmt.Errorf("the top %d of %d elements do not exist", k, x.Shape[a])
		}
		var spare tensor.Tensor
		index := &spare
		if len(out) > 1 {
			index = out[1]
		} else {
			defer m.Release(&spare)
		}
		var space [8]int
		shape := append(space[:0], x.Shape...)
		shape[a] = k
		if err := m.Alloc(index, tensor.Int64, shape...); err != nil {
			return err
		}
		return topK(m, out[0], index, x, a, largest)
	}, nil
}

// topK fills index, which has been made in the shape of the result, and makes out.
func topK(m *machine.Machine, out, index, x *tensor.Tensor, axis int, largest bool) error {
	if narrow(x.Type) {
		return widened(m, out, x.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
			return topK(m, out, index, in[0], axis, largest)
		}, x)
	}
	if err := m.Alloc(out, x.Type, index.Shape...); err != nil {
		return err
	}
	switch x.Type {
	case tensor.Float32:
		return topKWide[float32](m, out, index, x, axis, largest)
	case tensor.Float64:
		return topKWide[float64](m, out, index, x, axis, largest)
	case tensor.Int64:
		return topKWide[int64](m, out, index, x, axis, largest)
	case tensor.Uint64:
		return topKWide[uint64](m, out, index, x, axis, largest)
	}
	return typeError(x.Type)
}

// topKWide sorts by value, and equal values by index, the lower first. NaN counts as the largest.
func topKWide[T tensor.Number](m *machine.Machine, out, index, x *tensor.Tensor, axis int, largest bool) error {
	src, dst, at := tensor.Of[T](x), tensor.Of[T](out), tensor.Of[int64](index)
	outer, n, inner := split3(x.Shape, axis)
	k := index.Shape[axis]
	order, err := machine.Scratch[int64](m, n)
	if err != nil {
		return err
	}
	for o := range outer {
		for i := range inner {
			if err := m.Tick(32 * n); err != nil {
				return err
			}
			base := o*n*inner + i
			for j := range order {
				order[j] = int64(j)
			}
			slices.SortFunc(order, func(p, q int64) int {
				a, b := src[base+int(p)*inner], src[base+int(q)*inner]
				if !largest {
					a, b = b, a
				}
				switch {
				case a > b || a != a && b == b:
					return -1
				case a < b || b != b && a == a:
					return 1
				}
				return cmp.Compare(p, q)
			})
			for j, p := range order[:k] {
				dst[o*k*inner+j*inner+i] = src[base+int(p)*inner]
				at[o*k*inner+j*inner+i] = p
			}
		}
	}
	return nil
}

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

func cumSum(m *machine.Machine, out, x *tensor.Tensor, axis int, product, exclusive, reverse bool) error {
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
	case tensor.Int64, tensor.Uint64: // whose sums and products have the same bits
		cumSumWide[int64](out, x, axis, product, exclusive, reverse)
	default:
		return typeError(x.Type)
	}
	return nil
}

func cumSumWide[T tensor.Number](out, x *tensor.Tensor, axis int, product, exclusive, reverse bool) {
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

func newTrilu(n *Node) (Func, error) {
	upper := n.Int("upper", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, k := in[0], 0
		if t := given(in, 1); t != nil {
			var err error
			if k, err = intOf(t); err != nil {
				return err
			}
		}
		if x.Rank() < 2 {
			return fmt.Errorf("a tensor of %d dimensions has no triangle", x.Rank())
		}
		if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		dst, size := bytesOf(out[0]), x.Type.Size()
		copy(dst, bytesOf(x))
		rows, cols := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1]
		for r := 0; r*cols*size < len(dst); r++ {
			edge := max(0, min(cols, r%rows+k))
			row := dst[r*cols*size : (r+1)*cols*size]
			if upper {
				clear(row[:edge*size])
			} else {
				clear(row[min(cols, max(0, r%rows+k+1))*size:])
			}
		}
		return nil
	}, nil
}
