package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// attention holds the attributes of Attention: softmax(scale·Q·Kᵀ, softly capped, + bias)·V for each head.
type attention struct {
	headsQ, headsKV int // of inputs of three dimensions
	causal          bool
	left, right     int // window of keys around a query, -1 without an end
	scale, softcap  float64
	stage           int // of the scores that output 3 shows: 0 raw, 1 capped, 2 with bias, 3 after the softmax
}

func newAttention(n *Node) (Func, error) {
	a := attention{
		headsQ: n.Int("q_num_heads", 0), headsKV: n.Int("kv_num_heads", 0), causal: n.Int("is_causal", 0) != 0, stage: n.Int("qk_matmul_output_mode", 0),
		left: n.Int("left_window_size", -1), right: n.Int("right_window_size", -1), scale: float64(n.Float("scale", 0)), softcap: float64(n.Float("softcap", 0)),
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		for _, t := range in[:3] {
			if t.Type != in[0].Type {
				return mixedError(in[0].Type, t.Type)
			}
		}
		if (given(in, 4) == nil) != (given(in, 5) == nil) {
			return fmt.Errorf("it is given earlier keys without values, or values without keys")
		}
		for i := 4; i < min(6, len(in)); i++ {
			if in[i] != nil && in[i].Type != in[0].Type {
				return mixedError(in[0].Type, in[i].Type)
			}
		}
		switch in[0].Type {
		case tensor.Float32:
			return attend(m, a, out, in, heads[float32]{
				scores: func(c, q, k []float32, rows, cols, depth int) error {
					return product(m, c, q, k, rows, cols, depth, true, epilogue{})
				},
				mix: func(c, p, v []float32, rows, cols, depth int) error {
					return product(m, c, p, v, rows, cols, depth, false, epilogue{})
				},
				exp: kernel.Exp,
			})
		case tensor.Float64:
			return attend(m, a, out, in, heads[float64]{
				scores: func(c, q, k []float64, rows, cols, depth int) error {
					t, err := transposed(m, k[:cols*depth], cols, depth)
					if err != nil {
						return err
					}
					return productAny(m, c, q, t, rows, cols, depth)
				},
				mix: func(c, p, v []float64, rows, cols, depth int) error { return productAny(m, c, p, v, rows, cols, depth) },
				exp: func(dst, src []float64) {
					for i, v := range src {
						dst[i] = math.Exp(v)
					}
				},
			})
		}
		return typeError(in[0].Type)
	}, nil
}

// heads is the arithmetic of one type: a (rows, cols) = q (rows, depth) · k (cols, depth)ᵀ, a product that is not
// turned, and exponentials.
type heads[T float32 | float64] struct {
	scores, mix func(c, a, b []T, rows, cols, depth int) error
	exp         func(dst, src []T)
}

// apart returns x as (batch, head, place, width): so it is with four dimensions, with three the heads lie
// side by side in the last.
func apart(m *machine.Machine, x *tensor.Tensor, count int) (*tensor.Tensor, error) {
	if x.Rank() == 4 {
		return x, nil
	}
	if x.Rank() != 3 || count < 1 || x.Shape[2]%count != 0 {
		return nil, fmt.Errorf("shape %v does not hold %d heads", x.Shape, count)
	}
	var y tensor.Tensor
	b, l, d := x.Shape[0], x.Shape[1], x.Shape[2]/count
	if err := m.Alloc(&y, x.Type, b, count, l, d); err != nil {
		return nil, err
	}
	m.AtEnd(&y)
	return &y, moved(m, &y, x, 0, y.Shape, []int{l * count * d, d, count * d, 1})
}

// joined returns the keys or values of earlier places followed by new ones, and makes out of them if that
// is wanted.
func joined(m *machine.Machine, past, x *tensor.Tensor, out []*tensor.Tensor, i int) (*tensor.Tensor, error) {
	y := x
	if past != nil {
		if past.Rank() != 4 || past.Shape[0] != x.Shape[0] || past.Shape[1] != x.Shape[1] || past.Shape[3] != x.Shape[3] {
			return nil, fmt.Errorf("earlier places of shape %v do not fit %v", past.Shape, x.Shape)
		}
		y = &tensor.Tensor{}
		shape := slices.Clone(x.Shape)
		shape[2] += past.Shape[2]
		if err := m.Alloc(y, x.Type, shape...); err != nil {
			return nil, err
		}
		m.AtEnd(y)
		dst, width := bytesOf(y), x.Shape[3]*x.Type.Size()
		for h := range shape[0] * shape[1] {
			at := copy(dst[h*shape[2]*width:], bytesOf(past)[h*past.Shape[2]*width:][:past.Shape[2]*width])
			copy(dst[h*shape[2]*width+at:], bytesOf(x)[h*x.Shape[2]*width:][:x.Shape[2]*width])
		}
	}
	if i < len(out) {
		m.Share(out[i], y, y.Shape)
	}
	return y, m.Tick(y.Len())
}

func attend[T float32 | float64](m *machine.Machine, a attention, out, in []*tensor.Tensor, f heads[T]) error {
	q, err := apart(m, in[0], a.headsQ)
	if err != nil {
		return err
	}
	k, err := apart(m, in[1], a.headsKV)
	if err != nil {
		return err
	}
	v, err := apart(m, in[2], a.headsKV)
	if err != nil {
		return err
	}
	past := 0
	if p := given(in, 4); p != nil && p.Rank() == 4 {
		past = p.Shape[2]
	}
	if k, err = joined(m, given(in, 4), k, out, 1); err != nil {
		return err
	}
	if v, err = joined(m, given(in, 5), v, out, 2); err != nil {
		return err
	}
	batch, heads, rows, width := q.Shape[0], q.Shape[1], q.Shape[2], q.Shape[3]
	keys, wide := k.Shape[2], v.Shape[3]
	if k.Shape[0] != batch || v.Shape[0] != batch || k.Shape[1] != v.Shape[1] || v.Shape[2] != keys || k.Shape[3] != width || k.Shape[1] == 0 || heads%k.Shape[1] != 0 {
		return fmt.Errorf("queries %v, keys %v and values %v do not fit", q.Shape, k.Shape, v.Shape)
	}
	bias, err := newBias(m, a, in, []int{batch, heads, rows, keys}, past)
	if err != nil {
		return err
	}
	var y, shown tensor.Tensor
	if err := m.Alloc(&y, q.Type, batch, heads, rows, wide); err != nil {
		return err
	}
	m.AtEnd(&y)
	if len(out) > 3 {
		if err := m.Alloc(&shown, q.Type, batch, heads, rows, keys); err != nil {
			return err
		}
		m.AtEnd(&shown)
		m.Share(out[3], &shown, shown.Shape)
	}
	scores, err := machine.Scratch[T](m, rows*keys)
	if err != nil {
		return err
	}
	added, err := machine.Scratch[float64](m, keys)
	if err != nil {
		return err
	}
	scale := a.scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(width))
	}
	for h := range batch * heads {
		if err := m.Tick(16 * len(scores)); err != nil {
			return err
		}
		other := h/heads*k.Shape[1] + h%heads*k.Shape[1]/heads // several heads of queries may share one of keys
		if len(scores) > 0 {
			if err := f.scores(scores, tensor.Of[T](q)[h*rows*width:][:rows*width], tensor.Of[T](k)[other*keys*width:][:keys*width], rows, keys, width); err != nil {
				return err
			}
		}
		for i := range rows {
			row := scores[i*keys : (i+1)*keys]
			var show []T
			if len(out) > 3 {
				show = tensor.Of[T](&shown)[(h*rows+i)*keys:][:keys]
			}
			open := bias.row(added, h, i)
			weigh(a, row, scale, added, open, f.exp, func(stage int) {
				if stage == a.stage {
					copy(show, row)
				}
			})
		}
		part := tensor.Of[T](&y)[h*rows*wide:][:rows*wide]
		if clear(part); len(part) > 0 && keys > 0 {
			if err := f.mix(part, scores, tensor.Of[T](v)[other*keys*wide:][:keys*wide], rows, wide, keys); err != nil {
				return err
			}
		}
	}
	if in[0].Rank() == 4 {
		m.Share(out[0], &y, y.Shape)
		return nil
	}
	if err := m.Alloc(out[0], y.Type, batch, rows, heads*wide); err != nil {
		return err
	}
	return moved(m, out[0], &y, 0, []int{batch, rows, heads, wide}, []int{heads * rows * wide, wide, rows * wide, 1})
}

// weigh turns the products of a query into weights: nothing but zeros when no key is open to it. show sees each
// stage.
func weigh[T float32 | float64](a attention, row []T, scale float64, added []float64, open bool, exp func(dst, src []T), show func(stage int)) {
	for j := range row {
		row[j] *= T(scale)
	}
	show(0)
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

// A bias is what is added to the scores of keys: a mask, and -Inf for those that a query may not see.
type bias struct {
	a       attention
	mask    []float64 // nil without
	strides []int     // of mask in (batch, head, query, key)
	known   int       // keys that the mask knows; others are shut
	shape   []int     // (batch, head, query, key)
	filled  []int     // keys of each batch that hold something, nil when all do
	past    int       // keys before the first query
}

func newBias(m *machine.Machine, a attention, in []*tensor.Tensor, shape []int, past int) (*bias, error) {
	b := &bias{a: a, shape: shape, past: past}
	if t := given(in, 6); t != nil {
		var err error
		if b.filled, err = intsOf(t); err != nil || len(b.filled) != shape[0] {
			return nil, fmt.Errorf("lengths of shape %v do not fit a batch of %d", t.Shape, shape[0])
		}
	}
	t := given(in, 3)
	if t == nil {
		return b, nil
	}
	if t.Rank() < 1 || t.Rank() > 4 || t.Shape[t.Rank()-1] > shape[3] {
		return nil, fmt.Errorf("a mask of shape %v does not fit scores of shape %v", t.Shape, shape)
	}
	b.known = t.Shape[t.Rank()-1]
	to := append(slices.Clone(shape[:3]), b.known)
	if full, err := broadcastShape(nil, t.Shape, to); err != nil || !slices.Equal(full, to) {
		return nil, fmt.Errorf("a mask of shape %v does not fit scores of shape %v", t.Shape, shape)
	}
	b.strides = spread(t.Shape, to)
	var err error
	if b.mask, err = doubles(m, t); err == nil && t.Type == tensor.Bool {
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
		if b.a.causal && ahead > 0 || b.a.left >= 0 && -ahead > b.a.left || b.a.right >= 0 && ahead > b.a.right || b.filled != nil && j >= b.filled[batch] {
			dst[j] = math.Inf(-1)
		}
		open = open || !math.IsInf(dst[j], -1)
	}
	return open
}

// attentionRule keeps instances apart that are the batch of queries, keys and values.
func attentionRule(_ *Node, k int, in, out []Place) {
	for i, p := range in {
		switch {
		case i < 3 && (p.Class != Instance || p.Axis != 0), i == 3 && (p.Class != Constant || len(p.Shape) > 3), i > 3 && p.Shape != nil:
			return
		}
	}
	for i := range out {
		out[i].keep(0, k)
	}
}
