package masked

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// batch runs a node once for the rows of all coalitions, one below the other.
type batch struct {
	each
	lead int     // places of the first dimension that one coalition takes
	tail [][]int // (input) the other dimensions, of rows
}

// batched returns the step if a node can take the rows of all coalitions along its first dimension:
// a layer with a fixed right factor, or any node of which the axis analysis says that it would keep
// instances there apart. Rows are matrices of one line each, or vectors: those get a dimension in
// front, which an operator with an axis may take for its axis 0, and the analysis says so, or does
// not see from its axis -1.
func (c *compiler) batched(n *graph.Node, in []value, e each) (*batch, bool) {
	if b, ok := c.layer(n, in, e); ok {
		return b, true
	}
	const many = 1_000_003 // coalitions, unlike any size in a model
	b := &batch{each: e, lead: 1, tail: make([][]int, len(in))}
	from, to := make([]ops.Place, len(in)), make([]ops.Place, len(e.out))
	vectors := c.vectors(in)
	stacked := func(at int) (ops.Place, bool) {
		s := c.plan.slots[at]
		tail := s.shape
		switch {
		case vectors:
			if len(tail) > 1 {
				return ops.Place{}, false
			}
		case len(tail) == 0 || tail[0] != 1:
			return ops.Place{}, false
		default:
			tail = tail[1:]
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
	n.Row.Axes(&n.Node, many, from, to)
	if slices.ContainsFunc(to, func(p ops.Place) bool {
		return p.Class != ops.Instance ||
			p.Axis != 0
	}) {
		return nil, false
	}
	return b, true
}

// vectors reports whether all rows that a node reads are vectors, beside vectors and scalars at
// most.
func (c *compiler) vectors(in []value) bool {
	for _, v := range in {
		switch {
		case v.kind == row:
			if len(c.plan.slots[v.slot].shape) != 1 {
				return false
			}
		case v.tensor != nil && v.tensor.Rank() > 1:
			return false
		}
	}
	return true
}

// layer returns the step of a Gemm or MatMul with a fixed right factor whose result does not mix
// the rows of a coalition.
func (c *compiler) layer(n *graph.Node, in []value, e each) (*batch, bool) {
	if n.Op != "Gemm" && n.Op != "MatMul" || in[0].kind != row || in[1].kind != fixed ||
		in[1].tensor.Rank() != 2 {
		return nil, false
	}
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

func (b *batch) run(r *Runner) error {
	n := r.Len()
	in, out := make([]*tensor.Tensor, len(b.in)), make([]*tensor.Tensor, len(b.out))
	for i, o := range b.in {
		if in[i] = o.tensor; o.tensor != nil || o.slot < 0 {
			continue
		}
		in[i] = &tensor.Tensor{}
		if err := r.stacks[o.slot].all(r, in[i], n,
			append([]int{n * b.lead}, b.tail[i]...)); err != nil {
			return err
		}
	}
	for i := range out {
		out[i] = &tensor.Tensor{}
	}
	err := b.node.Func(r.m, in, out)
	r.m.EndNode()
	for i, o := range b.in {
		if o.tensor == nil && o.slot >= 0 {
			r.m.Release(in[i])
		}
	}
	if err != nil {
		return plan.Wrap(r.m, b.node, err)
	}
	for i, at := range b.out {
		s := &r.stacks[at]
		if made := out[i]; made.Type == tensor.Float64 && s.typ == tensor.Float32 {
			out[i] = as32(made)
			r.m.Release(made)
		}
		if out[i].Type != s.typ || out[i].Len() != n*s.count {
			return fmt.Errorf(
				"node %q gives shape %v and type %v for %d coalitions of shape %v and type %v",
				b.node.Name, out[i].Shape, out[i].Type, n, s.shape, s.typ)
		}
		s.fill(out[i], n)
		r.m.Release(out[i])
	}
	return nil
}

// all makes t the first n rows without the gaps between them: the stack itself where it has none.
func (s *stack) all(r *Runner, t *tensor.Tensor, n int, shape []int) error {
	size := s.typ.Size()
	if s.count*size == s.words*8 {
		t.Type, t.Words, t.Block, t.Shape = s.typ, s.data[:n*s.words], nil, shape
		return nil
	}
	if err := r.m.Alloc(t, s.typ, shape...); err != nil {
		return err
	}
	to, from := bytesOf(t.Words), bytesOf(s.data)
	for j := range n {
		copy(to[j*s.count*size:][:s.count*size], from[j*s.words*8:])
	}
	return nil
}

// fill copies n rows that lie without gaps.
func (s *stack) fill(t *tensor.Tensor, n int) {
	row := s.count * s.typ.Size()
	to, from := bytesOf(s.data), bytesOf(t.Words)
	for j := range n {
		copy(to[j*s.words*8:][:row], from[j*row:])
	}
}

func bytesOf(words []uint64) []uint8 { return tensor.View[uint8](words, len(words)*8) }
