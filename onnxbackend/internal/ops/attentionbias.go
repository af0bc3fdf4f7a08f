package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A bias is what is added to the scores of keys: a mask, and -Inf for those that a query may not
// see.
type bias struct {
	a       attention
	mask    []float64 // nil without
	strides []int     // of mask in (batch, head, query, key)
	known   int       // keys that the mask knows; others are shut
	shape   []int     // (batch, head, query, key)
	filled  []int     // keys of each batch that hold something, nil when all do
	past    int       // keys before the first query
}

func newBias(
	m *machine.Machine, a attention, in []*tensor.Tensor, shape []int, past int,
) (*bias, error) {
	b := &bias{a: a, shape: shape, past: past}
	if t := given(in, 6); t != nil {
		var err error
		if b.filled, err = intsOf(t); err != nil || len(b.filled) != shape[0] {
			return nil, fmt.Errorf("lengths of shape %v do not match a batch of %d", t.Shape,
				shape[0])
		}
	}
	t := given(in, 3)
	if t == nil {
		return b, nil
	}
	if t.Rank() < 1 || t.Rank() > 4 || t.Shape[t.Rank()-1] > shape[3] {
		return nil, fmt.Errorf("a mask of shape %v does not match scores of shape %v", t.Shape, shape)
	}
	b.known = t.Shape[t.Rank()-1]
	to := append(slices.Clone(shape[:3]), b.known)
	if full, err := broadcastShape(nil, t.Shape, to); err != nil || !slices.Equal(full, to) {
		return nil, fmt.Errorf("a mask of shape %v does not match scores of shape %v", t.Shape, shape)
	}
	b.strides = broadcastStrides(m, t.Shape, to)
	var err error
	if b.mask, err = asFloat64(m, t); err == nil && t.Type == tensor.Bool {
		for i, v := range b.mask {
			b.mask[i] = math.Log(v)
		}
	}
	return b, err
}

// row fills dst for query i of a head, counted over the batch, and reports whether any key is open.
func (b *bias) row(dst []float64, head, i int) (open bool) {
	batch, before := head/b.shape[1], b.past
	if b.filled != nil && b.past == 0 {
		before = b.filled[batch] - b.shape[2]
	}
	for j := range dst {
		dst[j] = 0
		if b.mask != nil {
			dst[j] = math.Inf(-1)
			if j < b.known {
				dst[j] = b.mask[batch*b.strides[0]+head%b.shape[1]*b.strides[1]+i*b.strides[2]+j*b.strides[3]]
			}
		}
		ahead := j - i - before // of the query
		if b.a.causal && ahead > 0 || b.a.left >= 0 && -ahead > b.a.left || b.a.right >= 0 &&
			ahead > b.a.right || b.filled != nil && j >= b.filled[batch] {
			dst[j] = math.Inf(-1)
		}
		open = open || !math.IsInf(dst[j], -1)
	}
	return open
}
