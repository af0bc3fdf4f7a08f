package masked

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
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
	if c.reshapes(n, in) {
		return nil
	}
	if done, err := c.fold(n, in); done || err != nil {
		return err
	}
	for _, id := range n.Out {
		if id < 0 {
			e.out = append(e.out, -1)
			continue
		}
		e.out = append(e.out, c.newRow(id, c.Place(id).Type, c.Place(id).Shape))
	}
	if s, ok := c.narrow(n, in, e); ok {
		c.plan.steps = append(c.plan.steps, s)
		return nil
	}
	if b, ok := c.batched(n, in, e); ok {
		c.plan.steps = append(c.plan.steps, b)
		return nil
	}
	c.plan.steps = append(c.plan.steps, &e)
	return nil
}

// reshapes gives a row another shape if the node does nothing else, and reports whether it did.
func (c *compiler) reshapes(n *graph.Node, in []value) bool {
	switch {
	case n.Row.Kind == ops.Layout, n.Op == "Identity":
	case n.Op == "Transpose": // it moves nothing if all dimensions but one have one place
		if in[0].kind != row || !isLine(c.plan.slots[in[0].slot].shape) {
			return false
		}
	default:
		return false
	}
	if in[0].kind != row || slices.ContainsFunc(in[1:],
		func(v value) bool { return v.kind == row }) {
		return false
	}
	id := n.Out[0]
	from, to := c.plan.slots[in[0].slot], c.Place(id)
	a, _ := tensor.Count(from.shape)
	b, _ := tensor.Count(to.Shape)
	if a != b || from.typ != to.Type {
		return false
	}
	at := c.newRow(id, from.typ, to.Shape)
	c.plan.slots[at].of = c.plan.slots[in[0].slot].of
	c.made[id] = n
	return true
}

// isLine reports whether at most one dimension has more than one place.
func isLine(shape []int) bool {
	wide := 0
	for _, d := range shape {
		if d != 1 {
			wide++
		}
	}
	return wide <= 1
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
	if s.typ == tensor.Float32 {
		t = as32(t)
	}
	if t.Type != s.typ || !slices.Equal(t.Shape, s.shape) {
		return fmt.Errorf(
			"a coalition has a value of shape %v and type %v where the whole bag has %v and %v",
			t.Shape, t.Type, s.shape, s.typ)
	}
	copy(s.data[j*s.words:(j+1)*s.words], t.Words)
	return nil
}
