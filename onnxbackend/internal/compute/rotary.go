package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewRotaryEmbedding makes RotaryEmbedding. It rotates pairs of elements by angles that depend on
// their place: the first of a pair becomes cos·x1 - sin·x2, the second sin·x1 + cos·x2 (Su et al.,
// "RoFormer", 2021, section 3.2.2). X is (batch, head, place, width) or (batch, place,
// heads·width). Angles belong to (batch, place), or to position ids in input 3.
func NewRotaryEmbedding(n *Node) (Func, error) {
	r := rotary{interleaved: n.Int("interleaved", 0) != 0}
	rotaryDim, heads := n.Int("rotary_embedding_dim", 0), n.Int("num_heads", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		r, x, ids := r, in[0], given(in, 3)
		width, err := r.layOut(x.Shape, heads)
		if err != nil {
			return err
		}
		d := rotaryDim
		if d == 0 {
			d = width
		}
		r.half = d / 2
		shape := []int{r.batch, r.places, r.half}
		if ids != nil {
			shape = append(slices.Clone(in[1].Shape[:min(1, in[1].Rank())]), r.half)
		}
		if d < 0 || d%2 != 0 || d > width || !slices.Equal(in[1].Shape, shape) ||
			!slices.Equal(in[2].Shape, shape) {
			return msg.Errorf("angles of shapes %v and %v do not match %d elements of shape %v",
				in[1].Shape, in[2].Shape, d, x.Shape)
		}
		lists, err := allAsFloat64(m, x, in[1], in[2])
		if err != nil {
			return err
		}
		// Without position ids, each place has a row of angles of its own.
		row := func(i int) (int, error) { return i, nil }
		if ids != nil {
			if !slices.Equal(ids.Shape, []int{r.batch, r.places}) {
				return msg.Errorf("places of shape %v do not match shape %v", ids.Shape, x.Shape)
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
			copy(dst, lists[0])
			for i := range r.batch * r.places {
				angle, err := row(i)
				if err != nil {
					return err
				}
				r.rotate(dst, lists[0], i, lists[1][angle*r.half:], lists[2][angle*r.half:])
			}
			return nil
		})
	}, nil
}

// rotary says where the elements of a RotaryEmbedding are.
type rotary struct {
	interleaved          bool // the elements of a pair lie side by side, else half a width apart
	batch, heads, places int
	strides              [3]int // strides of batch, head and place
	half                 int    // pairs of a head
}

// layOut sets the sizes and strides from the shape of X, and returns the width of a head.
func (r *rotary) layOut(shape []int, heads int) (width int, err error) {
	switch {
	// The heads have an axis of their own.
	case len(shape) == 4:
		r.batch, r.heads, r.places, width = shape[0], shape[1], shape[2], shape[3]
		r.strides = [3]int{r.heads * r.places * width, r.places * width, width}
	// The heads lie side by side in the last dimension.
	case len(shape) == 3 && heads > 0 && shape[2]%heads == 0:
		r.batch, r.heads, r.places, width = shape[0], heads, shape[1], shape[2]/heads
		r.strides = [3]int{r.heads * r.places * width, width, r.heads * width}
	default:
		return 0, msg.Errorf("shape %v does not hold %d heads", shape, heads)
	}
	return width, nil
}

// rotate rotates the pairs of all heads at place i, counted over the batch, by angles.
func (r *rotary) rotate(dst, src []float64, i int, cos, sin []float64) {
	for h := range r.heads {
		at := i/r.places*r.strides[0] + h*r.strides[1] + i%r.places*r.strides[2]
		for j := range r.half {
			p, q := at+j, at+j+r.half
			if r.interleaved {
				p, q = at+2*j, at+2*j+1
			}
			dst[p], dst[q] = cos[j]*src[p]-sin[j]*src[q], sin[j]*src[p]+cos[j]*src[q]
		}
	}
}
