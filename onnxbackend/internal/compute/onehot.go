package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewOneHot makes OneHot. It adds an axis of size depth that holds values[1] at each index and
// values[0] elsewhere. Negative indices count from the end; indices outside of the axis mark no
// place.
func NewOneHot(n *Node) (Func, error) {
	axis := n.Int("axis", -1)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		at, values := in[0], in[2]
		d, err := scalar(in[1])
		if err != nil {
			return err
		}
		// depth may be a real number. The bound keeps the conversion defined; a tensor of that size
		// is rejected by Alloc.
		depth := int(min(max(d, 0), 1<<40))
		a, ok := tensor.Axis(axis, at.Rank()+1)
		if !ok || values.Len() != 2 {
			return msg.Errorf("axis %d and values of shape %v do not match indices of shape %v",
				axis, values.Shape, at.Shape)
		}
		shape := append(append(append([]int{}, at.Shape[:a]...), depth), at.Shape[a:]...)
		if err := allocate(m, out[0], values.Type, shape...); err != nil {
			return err
		}
		wide, err := converted(m, at, tensor.Int64)
		if err != nil {
			return err
		}
		size, inner := values.Type.Size(), elements(at.Shape[a:])
		dst, v := out[0].Bytes(), values.Bytes()
		for i := 0; i < len(dst); i += size {
			copy(dst[i:], v[:size])
		}
		for j, i := range tensor.Of[int64](wide) {
			if i < 0 {
				i += int64(depth)
			}
			if i >= 0 && i < int64(depth) {
				copy(dst[((j/inner*depth+int(i))*inner+j%inner)*size:], v[size:])
			}
		}
		return nil
	}, nil
}
