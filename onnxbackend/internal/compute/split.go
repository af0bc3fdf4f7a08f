package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewSplit makes Split. Sizes of the parts are an attribute or input 1; without them the parts are
// equal.
func NewSplit(n *Node) (Func, error) {
	sizes, parts := n.Ints("split"), n.Int("num_outputs", 0)
	return withAxis(n, 0, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		x, target := in[0], sizes
		if s := given(in, 1); s != nil {
			var err error
			if target, err = intsIn(m, s); err != nil {
				return err
			}
		}
		target, err := splitSizes(target, x.Shape[a], len(out), parts)
		if err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		src, at := x.Bytes(), 0
		outer, total, inner := splitAt(x.Shape, a)
		inner *= x.Type.Size()
		shape := append(m.Ints(x.Rank())[:0], x.Shape...)
		for i, y := range out {
			shape[a] = target[i]
			if err := m.Alloc(y, x.Type, shape...); err != nil {
				return err
			}
			dst, c := y.Bytes(), target[i]*inner
			for o := range outer {
				copy(dst[o*c:(o+1)*c], src[o*total*inner+at:])
			}
			at += c
		}
		return nil
	})
}

// splitSizes returns the sizes of the parts: target, or if it is nil equal ones of which the last
// may be smaller. n is the size of the axis, outputs the number of outputs, parts attribute
// num_outputs or 0.
func splitSizes(target []int, n, outputs, parts int) ([]int, error) {
	if target == nil {
		if parts == 0 {
			parts = outputs
		}
		if parts != outputs {
			return nil, fmt.Errorf("num_outputs is %d and %d outputs are named", parts, outputs)
		}
		// Equal sizes are rounded up, so that only the last part is smaller.
		size, left := (n+parts-1)/parts, n
		for range parts {
			s := min(size, left)
			target = append(target, s)
			left -= s
		}
		return target, nil
	}
	sum := 0
	for _, s := range target {
		if s < 0 {
			return nil, fmt.Errorf("a part has size %d", s)
		}
		sum += s
	}
	if len(target) != outputs || sum != n {
		return nil, msg.Errorf("parts %v for %d outputs do not add up to a dimension of %d",
			target, outputs, n)
	}
	return target, nil
}
