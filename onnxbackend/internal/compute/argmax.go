package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewArgMin makes ArgMin: the places of the smallest elements along an axis, as int64.
func NewArgMin(n *Node) (Func, error) { return buildArg(n, false) }

// NewArgMax makes ArgMax: the places of the largest elements along an axis, as int64.
func NewArgMax(n *Node) (Func, error) { return buildArg(n, true) }

// buildArg makes ArgMax and ArgMin. The result lacks the axis, or has one place there if keepdims.
// The first of equal elements counts, or the last if select_last_index.
func buildArg(n *Node, largest bool) (Func, error) {
	keep, last := n.Int("keepdims", 1) != 0, n.Int("select_last_index", 0) != 0
	return withAxis(n, 0, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		x := in[0]
		// float64 holds every integer of 32 bits exactly, so one more instantiation is not needed.
		if narrow(x.Type) {
			var err error
			if x, err = converted(m, x, tensor.Float64); err != nil {
				return err
			}
		}
		if x.Shape[a] == 0 {
			return msg.Errorf("shape %v has no element along the axis", x.Shape)
		}
		// Shapes of up to eight dimensions need no memory of the allocator.
		var space [8]int
		shape := append(space[:0], x.Shape[:a]...)
		if keep {
			shape = append(shape, 1)
		}
		if err := allocate(m, out[0], tensor.Int64,
			append(shape, x.Shape[a+1:]...)...); err != nil {
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
	})
}

// arg writes the place of the largest or smallest element of each row of src along an axis. NaN
// compares false, so it is chosen only if it comes first.
func arg[T tensor.Number](out *tensor.Tensor, src []T, shape []int, axis int, largest, last bool) {
	dst := tensor.Of[int64](out)
	outer, n, inner := splitAt(shape, axis)
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
