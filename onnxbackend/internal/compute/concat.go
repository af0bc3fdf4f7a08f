package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewConcat makes Concat. Inputs have one type and differ in shape along the axis only.
func NewConcat(n *Node) (Func, error) {
	return withAxis(n, 0, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		if err := sameType(in...); err != nil {
			return err
		}
		x := in[0]
		var space [8]int
		shape := append(space[:0], x.Shape...)
		for _, y := range in[1:] {
			if y.Rank() != x.Rank() || !slices.Equal(y.Shape[:a], x.Shape[:a]) ||
				!slices.Equal(y.Shape[a+1:], x.Shape[a+1:]) {
				return msg.Errorf("shapes %v and %v cannot be joined along axis %d", x.Shape,
					y.Shape, a)
			}
			shape[a] += y.Shape[a]
		}
		if err := allocate(m, out[0], x.Type, shape...); err != nil {
			return err
		}
		// at is the offset of an input's part within each slice of the result. Each part is
		// contiguous, so types do not matter.
		dst, at := out[0].Bytes(), 0
		_, total, inner := splitAt(shape, a)
		inner *= x.Type.Size()
		for _, y := range in {
			outer, c, _ := splitAt(y.Shape, a)
			src, c := y.Bytes(), c*inner
			for o := range outer {
				copy(dst[o*total*inner+at:][:c], src[o*c:])
			}
			at += c
		}
		return nil
	})
}
