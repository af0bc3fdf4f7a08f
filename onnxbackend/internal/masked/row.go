package masked

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// each is the step that runs a node on the rows of one coalition after another. All operators can
// run this way; fold, narrow and batch are faster ways for some.
type each struct {
	node *graph.Node
	in   []operand
	out  []int // slots, -1 for unread outputs
}

// operand is an input of a node on rows: a tensor that is the same for every coalition, or a slot.
type operand struct {
	tensor *tensor.Tensor // nil for a slot or an omitted input
	slot   int            // -1 for an omitted input
}

// stacked reports whether an operand is a row of each coalition.
func (o operand) stacked() bool { return o.tensor == nil && o.slot >= 0 }

// row compiles a node of rows and fixed values, in the fastest way that is possible.
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
		at := -1
		if id >= 0 {
			at = c.newRow(id, c.Place(id).Type, c.Place(id).Shape)
		}
		e.out = append(e.out, at)
	}
	var made step = &e
	if s, ok := c.narrow(n, in, e); ok {
		made = s
	} else if b, ok := c.batched(n, in, e); ok {
		made = b
	}
	c.plan.steps = append(c.plan.steps, made)
	return nil
}

// reshapes gives a row another shape if the node does nothing else, and reports whether it did. The
// new row shares the memory of the old one.
func (c *compiler) reshapes(n *graph.Node, in []value) bool {
	if in[0].kind != row || slices.ContainsFunc(in[1:],
		func(v value) bool { return v.kind == row }) {
		return false
	}
	// A Transpose changes the order of elements unless at most one dimension exceeds 1.
	if n.Row.Kind != ops.Layout && n.Op != "Identity" &&
		!(n.Op == "Transpose" && isLine(c.plan.slots[in[0].slot].shape)) {
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
	c.plan.slots[at].of = from.of
	c.reshaped[id] = n
	return true
}

// isLine reports whether at most one dimension differs from 1.
func isLine(shape []int) bool {
	wide := slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
	return len(wide) <= 1
}

// run computes the node for every coalition. A row of an input is a view of its stack; outputs are
// copied to theirs.
func (e *each) run(r *Runner) error {
	in, _, out := r.block.node(len(e.in), len(e.out))
	for i, o := range e.in {
		if !o.stacked() {
			in[i] = o.tensor
		}
	}
	for j := range r.Len() {
		for i, o := range e.in {
			if o.stacked() {
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
				if err := r.stacks[at].set(out[i], j); err != nil {
					return plan.Wrap(r.m, e.node, err)
				}
			}
			r.m.Release(out[i])
		}
	}
	return nil
}

// set copies t to row j. A node whose shapes depend on the number of members cannot have rows of
// one size; its error names both shapes.
func (s *stack) set(t *tensor.Tensor, j int) error {
	if s.typ == tensor.Float32 {
		t = as32(t)
	}
	if t.Type != s.typ || !slices.Equal(t.Shape, s.shape) {
		return msg.Errorf(
			"a coalition has a value of shape %v and type %v where the whole bag has %v and %v",
			t.Shape, t.Type, s.shape, s.typ)
	}
	copy(s.data[j*s.words:(j+1)*s.words], t.Words)
	return nil
}
