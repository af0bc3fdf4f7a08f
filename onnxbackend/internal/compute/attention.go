package compute

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// attention holds the attributes of Attention: softmax(scale·Q·Kᵀ, softly capped, + bias)·V for
// each head (Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1).
type attention struct {
	// headsQ and headsKV are the numbers of heads in inputs of three dimensions.
	headsQ, headsKV int
	// causal masks keys after the query.
	causal bool
	// scale is 0 for the default, 1/√width. softcap is 0 if scores are not capped.
	scale, softcap float64
	// stage selects the scores that output 3 returns: 0 raw, 1 capped, 2 with bias, 3 after the
	// softmax.
	stage int
}

// NewAttention makes Attention. Inputs are Q, K and V of three or four dimensions, a mask, the keys
// and values of earlier places, and the number of valid keys of each batch. Outputs are Y, the keys
// and values with the earlier ones, and scores. All are computed in the type of Q.
func NewAttention(n *Node) (Func, error) {
	a := attention{
		headsQ: n.Int("q_num_heads", 0), headsKV: n.Int("kv_num_heads", 0),
		causal: n.Int("is_causal", 0) != 0, stage: n.Int("qk_matmul_output_mode", 0),
		scale: float64(n.Float("scale", 0)), softcap: float64(n.Float("softcap", 0)),
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		// The earlier keys and values come from a cache, which holds both or none.
		pastKeys, pastValues := given(in, 4), given(in, 5)
		if (pastKeys == nil) != (pastValues == nil) {
			return fmt.Errorf("earlier keys and values must both be given or both be omitted")
		}
		is64, err := areFloats(in[0], in[1], in[2], pastKeys, pastValues)
		if err != nil {
			return err
		}
		h, err := newHeads(m, a, out, in)
		if err != nil {
			return err
		}
		if is64 {
			err = attend(m, h, exp64)
		} else {
			err = attend(m, h, kernel.Exp)
		}
		if err != nil {
			return err
		}
		// The result has the layout of Q: heads either have an axis of their own or lie side by
		// side in the last one.
		if in[0].Rank() == 4 {
			m.Share(out[0], h.y, h.y.Shape)
			return nil
		}
		return stridedCopy(m, out[0], h.y, []int{h.batch, h.rows, h.heads * h.valueWidth}, 0,
			[]int{h.batch, h.rows, h.heads, h.valueWidth},
			[]int{h.heads * h.rows * h.valueWidth, h.valueWidth, h.rows * h.valueWidth, 1})
	}, nil
}

// exp64 is kernel.Exp in float64.
func exp64(dst, src []float64) {
	for i, v := range src {
		dst[i] = math.Exp(v)
	}
}

// splitHeads returns x as (batch, head, place, width). Four dimensions already have this form. With
// three, (batch, place, heads·width), the heads lie side by side in the last one.
func splitHeads(m *machine.Machine, x *tensor.Tensor, count int) (*tensor.Tensor, error) {
	if x.Rank() == 4 {
		return x, nil
	}
	if x.Rank() != 3 || count < 1 || x.Shape[2]%count != 0 {
		return nil, msg.Errorf("shape %v does not hold %d heads", x.Shape, count)
	}
	places, width := x.Shape[1], x.Shape[2]/count
	shape := []int{x.Shape[0], count, places, width}
	return rearranged(m, x, shape, shape,
		[]int{places * count * width, width, count * width, 1})
}

// appendPast returns the keys or values of earlier places followed by the new ones x, both (batch,
// head, place, width). If somebody reads output i, it shares the result.
func appendPast(
	m *machine.Machine, past, x *tensor.Tensor, out []*tensor.Tensor, i int,
) (*tensor.Tensor, error) {
	y := x
	if past != nil {
		// Earlier keys differ from the new ones only in the number of places.
		if past.Rank() != 4 || past.Shape[0] != x.Shape[0] || past.Shape[1] != x.Shape[1] ||
			past.Shape[3] != x.Shape[3] {
			return nil, msg.Errorf("earlier places of shape %v do not match %v", past.Shape,
				x.Shape)
		}
		shape := slices.Clone(x.Shape)
		shape[2] += past.Shape[2]
		var err error
		if y, err = temporary(m, x.Type, shape...); err != nil {
			return nil, err
		}
		dst, width := y.Bytes(), x.Shape[3]*x.Type.Size()
		for h := range shape[0] * shape[1] {
			at := copy(dst[h*shape[2]*width:],
				past.Bytes()[h*past.Shape[2]*width:][:past.Shape[2]*width])
			copy(dst[h*shape[2]*width+at:], x.Bytes()[h*x.Shape[2]*width:][:x.Shape[2]*width])
		}
	}
	if i < len(out) {
		m.Share(out[i], y, y.Shape)
	}
	return y, m.Tick(y.Len())
}

// heads holds the inputs of a run, split into heads, and their sizes.
type heads struct {
	attention
	// q, k and v are (batch, head, place, width).
	q, k, v *tensor.Tensor
	// y is the result, in the layout of q. scoresOut is output 3, nil if nobody reads it.
	y, scoresOut *tensor.Tensor
	bias         *bias
	// rows and keys are the numbers of queries and keys. width is the width of both, valueWidth
	// that of values.
	batch, heads, rows, keys, width, valueWidth int
}

// newHeads splits the inputs into heads, appends them to earlier ones, checks that sizes match, and
// allocates the result.
func newHeads(m *machine.Machine, a attention, out, in []*tensor.Tensor) (*heads, error) {
	h := &heads{attention: a}
	var err error
	for i, t := range []**tensor.Tensor{&h.q, &h.k, &h.v} {
		if *t, err = splitHeads(m, in[i], []int{a.headsQ, a.headsKV, a.headsKV}[i]); err != nil {
			return nil, err
		}
	}
	past := 0
	if p := given(in, 4); p != nil && p.Rank() == 4 {
		past = p.Shape[2]
	}
	if h.k, err = appendPast(m, given(in, 4), h.k, out, 1); err != nil {
		return nil, err
	}
	if h.v, err = appendPast(m, given(in, 5), h.v, out, 2); err != nil {
		return nil, err
	}
	q, k, v := h.q.Shape, h.k.Shape, h.v.Shape
	// Grouped-query attention: there may be fewer heads of keys than of queries, if their number
	// divides that of queries.
	h.batch, h.heads, h.rows, h.width, h.keys, h.valueWidth = q[0], q[1], q[2], q[3], k[2], v[3]
	if k[0] != h.batch || v[0] != h.batch || k[1] != v[1] || v[2] != h.keys || k[3] != h.width ||
		k[1] == 0 || h.heads%k[1] != 0 {
		return nil, msg.Errorf("queries %v, keys %v and values %v do not match", q, k, v)
	}
	if h.scale == 0 {
		h.scale = 1 / math.Sqrt(float64(h.width))
	}
	if h.bias, err = newBias(m, a, in, []int{h.batch, h.heads, h.rows, h.keys}, past); err != nil {
		return nil, err
	}
	if h.y, err = temporary(m, h.q.Type, h.batch, h.heads, h.rows, h.valueWidth); err != nil {
		return nil, err
	}
	if len(out) > 3 {
		h.scoresOut = out[3]
		if err := m.Alloc(out[3], h.q.Type, h.batch, h.heads, h.rows, h.keys); err != nil {
			return nil, err
		}
		// Without keys, attend returns before the first stage, so the scores must be zero already.
		clear(h.scoresOut.Bytes())
	}
	return h, nil
}

// attend fills y, head by head: the scores of all queries, their weights, and the weighted sum of
// values.
func attend[T float32 | float64](
	m *machine.Machine, h *heads, exp func(dst, src []T),
) error {
	q, k, v, y := tensor.Of[T](h.q), tensor.Of[T](h.k), tensor.Of[T](h.v), tensor.Of[T](h.y)
	clear(y)
	if len(y) == 0 || h.keys == 0 {
		return nil
	}
	scores, err := machine.Scratch[T](m, h.rows*h.keys)
	if err != nil {
		return err
	}
	added, err := machine.Scratch[float64](m, h.keys)
	if err != nil {
		return err
	}
	var scoresOut []T
	if h.scoresOut != nil {
		scoresOut = tensor.Of[T](h.scoresOut)
	}
	// One head at a time keeps the scores (query, key) in the cache.
	for i := range h.batch * h.heads {
		if err := m.Tick(16 * len(scores)); err != nil {
			return err
		}
		shared := h.k.Shape[1] // heads of keys, each for several of queries
		j := i/h.heads*shared + i%h.heads*shared/h.heads
		if err := productOf(m, scores, q[i*h.rows*h.width:], k[j*h.keys*h.width:], h.rows, h.keys,
			h.width, true); err != nil {
			return err
		}
		// Each query has its own mask, so weights are computed row by row.
		for r := range h.rows {
			row := scores[r*h.keys : (r+1)*h.keys]
			open := h.bias.row(added, i, r)
			weigh(h.attention, row, added, open, exp, func(stage int) {
				if stage == h.stage && scoresOut != nil {
					copy(scoresOut[(i*h.rows+r)*h.keys:], row)
				}
			})
		}
		if err := productOf(m, y[i*h.rows*h.valueWidth:][:h.rows*h.valueWidth], scores,
			v[j*h.keys*h.valueWidth:],
			h.rows, h.valueWidth, h.keys, false); err != nil {
			return err
		}
	}
	return nil
}

// weigh turns the scaled products of one query with all keys into weights that sum to 1. They are
// all zero if every key is masked. show is called with each stage of attribute
// qk_matmul_output_mode, 0 to 3, while row holds it.
func weigh[T float32 | float64](
	a attention, row []T, added []float64, open bool, exp func(dst, src []T), show func(stage int),
) {
	for j := range row {
		row[j] *= T(a.scale)
	}
	show(0)
	// Soft capping bounds scores smoothly to ±softcap (Gemma 2, 2024).
	if a.softcap > 0 {
		for j, v := range row {
			row[j] = T(a.softcap * math.Tanh(float64(v)/a.softcap))
		}
	}
	show(1)
	for j, v := range added {
		row[j] += T(v)
	}
	show(2)
	if !open {
		clear(row)
	} else if len(row) > 0 {
		// Subtracting the largest score keeps the exponentials from overflowing.
		top := slices.Max(row)
		for j := range row {
			row[j] -= top
		}
		exp(row, row)
		sum := 0.0
		for _, v := range row {
			sum += float64(v)
		}
		for j, v := range row {
			row[j] = T(float64(v) / sum)
		}
	}
	show(3)
}
