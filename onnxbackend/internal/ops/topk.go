package ops

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

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

// topK fills index, which has the shape of the result, and allocates out.
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

// topKWide sorts by value, and equal values by ascending index. NaN counts as the largest.
func topKWide[T tensor.Number](
	m *machine.Machine, out, index, x *tensor.Tensor, axis int, largest bool,
) error {
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
