package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newConcat(n *Node) (Func, error) {
	axis := n.Int("axis", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok {
			return axisError(axis, x.Rank())
		}
		var space [8]int
		shape := append(space[:0], x.Shape...)
		for _, y := range in[1:] {
			if y.Type != x.Type {
				return mixedError(x.Type, y.Type)
			}
			if y.Rank() != x.Rank() {
				return fmt.Errorf("shapes %v and %v cannot be joined along axis %d", x.Shape,
					y.Shape, a)
			}
			for i, d := range y.Shape {
				if i != a && d != x.Shape[i] {
					return fmt.Errorf("shapes %v and %v cannot be joined along axis %d", x.Shape,
						y.Shape, a)
				}
			}
			shape[a] += y.Shape[a]
		}
		if err := m.Alloc(out[0], x.Type, shape...); err != nil {
			return err
		}
		if err := m.Tick(out[0].Len()); err != nil {
			return err
		}
		dst, at := out[0].Bytes(), 0
		_, total, inner := split3(shape, a)
		inner *= x.Type.Size()
		for _, y := range in {
			outer, c, _ := split3(y.Shape, a)
			src, c := y.Bytes(), c*inner
			for o := range outer {
				copy(dst[o*total*inner+at:][:c], src[o*c:])
			}
			at += c
		}
		return nil
	}, nil
}
