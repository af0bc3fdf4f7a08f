package ops

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newRotaryEmbedding makes RotaryEmbedding. It rotates pairs of elements by angles that depend on
// their place: the first of a pair becomes cos·x1 - sin·x2, the second sin·x1 + cos·x2 (Su et al.,
// "RoFormer", 2021, section 3.2.2). X is (batch, head, place, width) or (batch, place,
// heads·width). Angles belong to (batch, place), or to position ids in input 3.
func newRotaryEmbedding(n *Node) (Func, error) {
	interleaved, rotaryDim, heads := n.Int("interleaved", 0) != 0, n.Int("rotary_embedding_dim", 0),
		n.Int("num_heads", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, ids := in[0], given(in, 3)
		var batch, count, places, width int
		var strides [3]int // strides of batch, head and place
		switch {
		// The heads have an axis of their own.
		case x.Rank() == 4:
			batch, count, places, width = x.Shape[0], x.Shape[1], x.Shape[2], x.Shape[3]
			strides = [3]int{count * places * width, places * width, width}
		// The heads lie side by side in the last dimension.
		case x.Rank() == 3 && heads > 0 && x.Shape[2]%heads == 0:
			batch, count, places, width = x.Shape[0], heads, x.Shape[1], x.Shape[2]/heads
			strides = [3]int{count * places * width, width, count * width}
		default:
			return fmt.Errorf("shape %v does not hold %d heads", x.Shape, heads)
		}
		d := rotaryDim
		if d == 0 {
			d = width
		}
		half := d / 2
		shape := []int{batch, places, half}
		if ids != nil {
			shape = append(slices.Clone(in[1].Shape[:min(1, in[1].Rank())]), half)
		}
		if d < 0 || d%2 != 0 || d > width || !slices.Equal(in[1].Shape, shape) ||
			!slices.Equal(in[2].Shape, shape) {
			return fmt.Errorf("angles of shapes %v and %v do not match %d elements of shape %v",
				in[1].Shape, in[2].Shape, d, x.Shape)
		}
		lists, err := allAsFloat64(m, x, in[1], in[2])
		if err != nil {
			return err
		}
		src, cos, sin := lists[0], lists[1], lists[2]
		// Without position ids, each place has a row of angles of its own.
		row := func(i int) (int, error) { return i, nil }
		if ids != nil {
			if !slices.Equal(ids.Shape, []int{batch, places}) {
				return fmt.Errorf("places of shape %v do not match shape %v", ids.Shape, x.Shape)
			}
			list, err := indices(ids, in[1].Shape[0])
			if err != nil {
				return err
			}
			row = list.at
		}
		return viaFloat64(m, out[0], x.Type, x.Shape, func(dst []float64) error {
			if err := m.Tick(4 * len(dst)); err != nil {
				return err
			}
			// Elements beyond rotary_embedding_dim stay as they are.
			copy(dst, src)
			for i := range batch * places {
				angle, err := row(i)
				if err != nil {
					return err
				}
				for h := range count {
					at := i/places*strides[0] + h*strides[1] + i%places*strides[2]
					for j := range half {
						// The elements of a pair lie half a width apart, or side by side if
						// interleaved.
						p, q := at+j, at+j+half
						if interleaved {
							p, q = at+2*j, at+2*j+1
						}
						c, s := cos[angle*half+j], sin[angle*half+j]
						dst[p], dst[q] = c*src[p]-s*src[q], s*src[p]+c*src[q]
					}
				}
			}
			return nil
		})
	}, nil
}
