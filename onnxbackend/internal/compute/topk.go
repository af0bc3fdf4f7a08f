package compute

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewTopK makes TopK: the k largest or smallest elements along an axis and their places, sorted.
// The number is an attribute before version 10 and input 1 since. If attribute sorted is 0, any
// order is allowed, so it is ignored.
func NewTopK(n *Node) (Func, error) {
	largest, fixed := n.Int("largest", 1) != 0, n.Int("k", 0)
	return withAxis(n, -1, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		x := in[0]
		k, err := optionalInt(in, 1, fixed)
		if err != nil {
			return err
		}
		if k < 0 || k > x.Shape[a] {
			return fmt.Errorf("k is %d, but the axis has %d elements", k, x.Shape[a])
		}
		// The places are computed even if nobody reads them.
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
		return topKByType.run(m, out[0], x.Type, ranking{index, a, largest}, in[:1]...)
	})
}

// A ranking says which elements TopK selects.
type ranking struct {
	// index receives the selected places. It has the shape of the result.
	index *tensor.Tensor
	axis  int
	// largest selects the largest elements instead of the smallest.
	largest bool
}

// topKByType holds the selection for each type. The result has the type of the input.
var topKByType = byType[ranking]{
	f32: topK[float32], f64: topK[float64], i64: topK[int64], u64: topK[uint64],
}

// topK sorts by value, and equal values by ascending index. NaN counts as the largest.
func topK[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, r ranking,
) error {
	x, axis, largest := in[0], r.axis, r.largest
	if err := m.Alloc(out, x.Type, r.index.Shape...); err != nil {
		return err
	}
	src, dst, at := tensor.Of[T](x), tensor.Of[T](out), tensor.Of[int64](r.index)
	outer, n, inner := splitAt(x.Shape, axis)
	k := r.index.Shape[axis]
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
