package compute

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A bias holds what is added to the scores of keys: a mask, and -Inf for keys that a query must not
// attend to.
type bias struct {
	a attention
	// mask is nil if the node has none. strides are those of mask in (batch, head, query, key).
	mask    []float64
	strides []int
	// known is the number of keys that the mask covers. Later ones are masked.
	known int
	// shape is that of the scores: (batch, head, query, key).
	shape []int
	// filled is the number of valid keys of each batch, nil if all keys are valid.
	filled []int
	// past is the number of keys before the first query.
	past int
}

// newBias reads the mask (input 3), which is broadcast to (batch, head, query, key), and the number
// of valid keys (input 6). shape is that of the scores, past the number of earlier keys.
func newBias(
	m *machine.Machine, a attention, in []*tensor.Tensor, shape []int, past int,
) (*bias, error) {
	b := &bias{a: a, shape: shape, past: past}
	if t := given(in, 6); t != nil {
		var err error
		if b.filled, err = IntsOf(t); err != nil || len(b.filled) != shape[0] {
			return nil, msg.Errorf("lengths of shape %v do not match a batch of %d", t.Shape,
				shape[0])
		}
	}
	t := given(in, 3)
	if t == nil {
		return b, nil
	}
	if t.Rank() < 1 || t.Rank() > 4 || t.Shape[t.Rank()-1] > shape[3] {
		return nil, msg.Errorf("a mask of shape %v does not match scores of shape %v", t.Shape,
			shape)
	}
	// A mask may cover fewer keys than there are; the others are masked.
	b.known = t.Shape[t.Rank()-1]
	to := append(slices.Clone(shape[:3]), b.known)
	if full, err := broadcastShape(nil, t.Shape, to); err != nil || !slices.Equal(full, to) {
		return nil, msg.Errorf("a mask of shape %v does not match scores of shape %v", t.Shape,
			shape)
	}
	b.strides = broadcastStrides(m, t.Shape, to)
	var err error
	if b.mask, err = asFloat64(m, t); err == nil && t.Type == tensor.Bool {
		// A mask of bools holds true for keys that count: log(1) = 0 and log(0) = -Inf.
		for i, v := range b.mask {
			b.mask[i] = math.Log(v)
		}
	}
	return b, err
}

// row fills dst, one element for each key, for query i of a head, counted over the batch. It
// reports whether the query may attend to any key.
func (b *bias) row(dst []float64, head, i int) (open bool) {
	batch, before := head/b.shape[1], b.past
	// With a static cache the queries are the last valid keys, so the offset follows from their
	// number.
	if b.filled != nil && b.past == 0 {
		before = b.filled[batch] - b.shape[2]
	}
	first := 0 // element of the mask for this query
	if b.mask != nil {
		first = batch*b.strides[0] + head%b.shape[1]*b.strides[1] + i*b.strides[2]
	}
	for j := range dst {
		dst[j] = 0
		if b.mask != nil {
			dst[j] = math.Inf(-1)
			if j < b.known {
				dst[j] = b.mask[first+j*b.strides[3]]
			}
		}
		// ahead is how many places the key lies after the query.
		ahead := j - i - before // distance of the key ahead of the query
		if b.a.causal && ahead > 0 || b.filled != nil && j >= b.filled[batch] {
			dst[j] = math.Inf(-1)
		}
		open = open || !math.IsInf(dst[j], -1)
	}
	return open
}
