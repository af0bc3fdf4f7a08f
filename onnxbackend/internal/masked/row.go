package masked

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// each runs a node on the rows of one coalition after another.
type each struct {
	node *graph.Node
	in   []operand
	out  []int // slots, -1 where nobody reads
}

// operand is an input of a node on rows.
type operand struct {
	tensor *tensor.Tensor // the same for every coalition, or nil
	slot   int            // when it is not; -1 for an omitted input
}

// row compiles a node of rows and fixed values.
func (c *compiler) row(n *graph.Node, in []value) error {
	e := each{node: n}
	for i, v := range in {
		switch {
		case n.In[i] < 0:
			e.in = append(e.in, operand{slot: -1})
		case v.kind == row:
			e.in = append(e.in, operand{slot: v.slot})
		default:
			e.in = append(e.in, operand{tensor: v.tensor})
		}
	}
	for _, id := range n.Out {
		if id < 0 {
			e.out = append(e.out, -1)
			continue
		}
		e.out = append(e.out, c.newRow(id, c.Place(id).Type, c.Place(id).Shape))
	}
	if l, ok := c.linear(n, in, e); ok {
		c.plan.steps = append(c.plan.steps, l)
		return nil
	}
	c.plan.steps = append(c.plan.steps, &e)
	return nil
}

func (e *each) run(r *Runner) error {
	in, out := make([]*tensor.Tensor, len(e.in)), make([]*tensor.Tensor, len(e.out))
	for i, o := range e.in {
		if in[i] = o.tensor; o.tensor == nil && o.slot >= 0 {
			in[i] = &tensor.Tensor{}
		}
	}
	for i := range out {
		out[i] = &tensor.Tensor{}
	}
	for j := range r.Len() {
		for i, o := range e.in {
			if o.tensor == nil && o.slot >= 0 {
				r.stacks[o.slot].at(in[i], j)
			}
		}
		err := e.node.Func(r.m, in, out)
		r.m.EndNode()
		if err != nil {
			return plan.Wrap(r.m, e.node, err)
		}
		for i, at := range e.out {
			if at >= 0 {
				if err := r.stacks[at].take(out[i], j); err != nil {
					return err
				}
			}
			r.m.Release(out[i])
		}
	}
	return nil
}

// take copies t to row j.
func (s *stack) take(t *tensor.Tensor, j int) error {
	if t.Type != s.typ || !slices.Equal(t.Shape, s.shape) {
		return fmt.Errorf("a coalition has a value of shape %v and type %v where the whole bag has %v and %v", t.Shape, t.Type, s.shape, s.typ)
	}
	copy(s.data[j*s.words:(j+1)*s.words], t.Words)
	return nil
}

// linear runs a Gemm or MatMul with a fixed right factor once for the rows of all coalitions.
type linear struct {
	each
	rows, width int // of one coalition's left factor
}

// linear returns the step if the node is such a layer and its result does not mix the rows of a coalition.
func (c *compiler) linear(n *graph.Node, in []value, e each) (*linear, bool) {
	if n.Op != "Gemm" && n.Op != "MatMul" || in[0].kind != row || in[1].kind != fixed || in[1].tensor.Rank() != 2 {
		return nil, false
	}
	x := c.plan.slots[in[0].slot]
	if x.typ != tensor.Float32 || len(x.shape) == 0 || n.Op == "Gemm" && n.Int("transA", 0) != 0 {
		return nil, false
	}
	if len(in) > 2 && in[2].tensor != nil && in[2].tensor.Rank() == 2 && in[2].tensor.Shape[0] > 1 || len(in) > 2 && in[2].kind == row {
		return nil, false
	}
	l := &linear{each: e, rows: 1, width: x.shape[len(x.shape)-1]}
	for _, d := range x.shape[:len(x.shape)-1] {
		l.rows *= d
	}
	return l, true
}

func (l *linear) run(r *Runner) error {
	n := r.Len()
	x, y := &r.stacks[l.in[0].slot], &r.stacks[l.out[0]]
	a := &tensor.Tensor{}
	if err := r.m.Alloc(a, tensor.Float32, n*l.rows, l.width); err != nil {
		return err
	}
	defer r.m.Release(a)
	values := tensor.Of[float32](a)
	for j := range n {
		copy(values[j*x.count:], view[float32](x, j))
	}
	in := []*tensor.Tensor{a, l.in[1].tensor}
	for _, o := range l.in[2:] {
		in = append(in, o.tensor)
	}
	out := &tensor.Tensor{}
	err := l.node.Func(r.m, in, []*tensor.Tensor{out})
	r.m.EndNode()
	if err != nil {
		return plan.Wrap(r.m, l.node, err)
	}
	defer r.m.Release(out)
	values = tensor.Of[float32](out)
	if len(values) != n*y.count {
		return fmt.Errorf("node %q gives %d values for %d coalitions of %d", l.node.Name, len(values), n, y.count)
	}
	for j := range n {
		copy(view[float32](y, j), values[j*y.count:(j+1)*y.count])
	}
	return nil
}
