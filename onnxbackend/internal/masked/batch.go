package masked

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// batch is the step that runs a node once on the rows of all coalitions, stacked along the first
// dimension.
type batch struct {
	each
	lead int     // size of the first dimension for one coalition
	tail [][]int // (input) the other dimensions of rows
}

// batched returns the step if a node computes the rows of coalitions separately when they are
// stacked: a layer with a constant right factor, or any node for which the axis rule keeps
// instances of the first dimension separate. Rows must be matrices of one line each, or vectors.
// Vectors get a new first dimension. Then axis 0 of an operator is that dimension, so that the axis
// rule reports that it mixes coalitions; axis -1 is the vector's own.
func (c *compiler) batched(n *graph.Node, in []value, e each) (*batch, bool) {
	if b, ok := c.layer(n, in, e); ok {
		return b, true
	}
	const many = 1_000_003 // coalitions; a prime, so that no size of a model is equal by chance
	b := &batch{each: e, lead: 1, tail: make([][]int, len(in))}
	from, to := make([]ops.Place, len(in)), make([]ops.Place, len(e.out))
	vectors := c.vectors(in)
	// stacked returns the place of a slot's rows, stacked; false if they are not lines or vectors.
	stacked := func(at int) (p ops.Place, ok bool) {
		s := c.plan.slots[at]
		tail := s.shape
		if !vectors && len(tail) > 0 && tail[0] == 1 {
			tail = tail[1:]
		} else if !vectors || len(tail) > 1 {
			return p, false
		}
		return ops.Place{Class: ops.Instance, Type: s.typ, Shape: append([]int{many}, tail...)},
			true
	}
	for i, v := range in {
		from[i] = ops.Place{Class: ops.Constant}
		switch {
		case v.kind == row:
			var ok bool
			if from[i], ok = stacked(v.slot); !ok {
				return nil, false
			}
			b.tail[i] = from[i].Shape[1:]
		case v.tensor != nil:
			from[i].Shape, from[i].Type, from[i].Value = v.tensor.Shape, v.tensor.Type, v.tensor
		}
	}
	for i, at := range e.out {
		if at < 0 {
			return nil, false
		}
		var ok bool
		if to[i], ok = stacked(at); !ok {
			return nil, false
		}
		to[i].Class = ops.Whole
	}
	// The axis rule answers for coalitions as it does for instances of a bag.
	n.Row.Axes.Apply(&n.Node, many, from, to)
	mixed := func(p ops.Place) bool { return p.Class != ops.Instance || p.Merged() || p.Axis != 0 }
	return b, !slices.ContainsFunc(to, mixed)
}

// vectors reports whether all rows that a node reads are vectors, and its other inputs vectors or
// scalars.
func (c *compiler) vectors(in []value) bool {
	return !slices.ContainsFunc(in, func(v value) bool {
		if v.kind == row {
			return len(c.plan.slots[v.slot].shape) != 1
		}
		return v.tensor != nil && v.tensor.Rank() > 1
	})
}

// layer returns the step of a Gemm or MatMul with a constant right factor whose result does not mix
// the rows of a coalition. A bias that differs between coalitions, or between lines of a row,
// cannot be stacked.
func (c *compiler) layer(n *graph.Node, in []value, e each) (*batch, bool) {
	if n.Op != "Gemm" && n.Op != "MatMul" || in[0].kind != row || in[1].kind != constant ||
		in[1].tensor.Rank() != 2 {
		return nil, false
	}
	// A transposed row would put the dimension of coalitions last.
	x := c.plan.slots[in[0].slot]
	if x.typ != tensor.Float32 || len(x.shape) == 0 || n.Op == "Gemm" && n.Int("transA", 0) != 0 {
		return nil, false
	}
	if len(in) > 2 && in[2].tensor != nil && in[2].tensor.Rank() == 2 &&
		in[2].tensor.Shape[0] > 1 || len(in) > 2 && in[2].kind == row {
		return nil, false
	}
	last := len(x.shape) - 1
	b := &batch{each: e, lead: 1, tail: make([][]int, len(in))}
	for _, d := range x.shape[:last] {
		b.lead *= d
	}
	b.tail[0] = x.shape[last:]
	return b, true
}

// run computes the node once. Its inputs are stacks without gaps, copied if the rows have gaps.
func (b *batch) run(r *Runner) error {
	n := r.Len()
	in, _, out := r.block.node(len(b.in), len(b.out))
	for i, o := range b.in {
		if !o.stacked() {
			in[i] = o.tensor
			continue
		}
		in[i].Shape = append(append(in[i].Shape[:0], n*b.lead), b.tail[i]...)
		if err := r.stacks[o.slot].all(r, in[i], n); err != nil {
			return err
		}
	}
	err := b.node.Func(r.m, in, out)
	r.m.EndNode()
	for i, o := range b.in {
		if o.stacked() {
			r.m.Release(in[i])
		}
	}
	if err != nil {
		return plan.Wrap(r.m, b.node, err)
	}
	for i, at := range b.out {
		s := &r.stacks[at]
		// In a model converted from float64, a Cast still returns float64; rows are float32.
		if made := out[i]; made.Type == tensor.Float64 && s.typ == tensor.Float32 {
			out[i] = as32(made)
			r.m.Release(made)
		}
		if out[i].Type != s.typ || out[i].Len() != n*s.count {
			return plan.Wrap(r.m, b.node, msg.Errorf(
				"the result has shape %v and type %v for %d coalitions of shape %v and type %v",
				out[i].Shape, out[i].Type, n, s.shape, s.typ))
		}
		s.fill(out[i], n)
		r.m.Release(out[i])
	}
	return nil
}

// all makes t, whose shape is set, the first n rows without the gaps between them. If the stack has
// no gaps, t shares its memory.
func (s *stack) all(r *Runner, t *tensor.Tensor, n int) error {
	size := s.typ.Size()
	if s.count*size == s.words*8 {
		t.Type, t.Words, t.Block = s.typ, s.data[:n*s.words], nil
		return nil
	}
	if err := r.m.Alloc(t, s.typ, t.Shape...); err != nil {
		return err
	}
	to, from := bytesOf(t.Words), bytesOf(s.data)
	for j := range n {
		copy(to[j*s.count*size:][:s.count*size], from[j*s.words*8:])
	}
	return nil
}

// fill copies n rows from t, which has no gaps between them.
func (s *stack) fill(t *tensor.Tensor, n int) {
	row := s.count * s.typ.Size()
	to, from := bytesOf(s.data), bytesOf(t.Words)
	for j := range n {
		copy(to[j*s.words*8:][:row], from[j*row:])
	}
}

// bytesOf returns the memory of words as bytes.
func bytesOf(words []uint64) []uint8 { return tensor.View[uint8](words, len(words)*8) }
