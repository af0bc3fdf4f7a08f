package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewCompress makes Compress: the slices along an axis, or without an axis the elements of the
// flattened input, for which a condition holds. The condition may be shorter than the axis; the
// remaining places are dropped.
func NewCompress(n *Node) (Func, error) {
	axis, flat := n.Int("axis", 0), !n.Has("axis")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		view, c := *in[0], in[1]
		a := 0
		if flat {
			view.Shape = []int{view.Len()}
		} else {
			var err error
			if a, err = axisOf(axis, view.Rank()); err != nil {
				return err
			}
		}
		if c.Type != tensor.Bool || c.Rank() != 1 || c.Len() > view.Shape[a] {
			return msg.Errorf("a condition of %v %v does not match axis %d of shape %v",
				c.Type, c.Shape, a, view.Shape)
		}
		var places []int
		for i, v := range tensor.Of[uint8](c) {
			if v != 0 {
				places = append(places, i)
			}
		}
		return gathered(m, out[0], &view, a, places)
	}, nil
}
