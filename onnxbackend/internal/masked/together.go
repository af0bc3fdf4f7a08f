package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// together is the step that runs a node once on the members of all coalitions of a block.
type together struct {
	node *graph.Node
	in   []memberOperand
	out  []int // slots of members, -1 for unread outputs
	axis []int // (input) axis of the members in a row that is repeated for each
}

func (s *together) reads() []int { return reads(s.in...) }
func (s *together) writes() []int {
	return slices.DeleteFunc(slices.Clone(s.out), func(at int) bool { return at < 0 })
}

func (s *together) need(all []bool) {
	if !slices.ContainsFunc(s.writes(), func(at int) bool { return all[at] }) {
		return
	}
	for _, at := range s.writes() {
		all[at] = true
	}
	need(all, s.in...)
}

// together compiles a node that keeps instances apart, and reports whether it does: the rule of the
// axis answers for the members of several coalitions as for the instances of a bag. A row is
// repeated for each member, which only an operator of single elements allows.
func (c *compiler) together(n *graph.Node, in []value, operands []memberOperand) bool {
	from, to := make([]ops.Place, len(in)), make([]ops.Place, len(n.Out))
	for i, v := range in {
		switch {
		case v.kind == row && n.Row.Kind != ops.Broadcast:
			return false
		case v.kind == row:
			s := c.plan.slots[v.slot]
			from[i] = ops.Place{Class: ops.Constant, Shape: s.shape, Type: s.typ}
		default:
			from[i] = places(in[i : i+1])[0]
		}
	}
	for i, id := range n.Out {
		if id < 0 {
			return false
		}
		to[i] = ops.Place{Shape: c.Place(id).Shape, Type: c.Place(id).Type}
	}
	n.Row.Axes.Apply(&n.Node, c.Instances+c.plan.lead, from, to)
	s := &together{node: n, in: operands, axis: make([]int, len(in))}
	for _, p := range to {
		if p.Class != ops.Instance || p.Merged() {
			return false
		}
	}
	// Broadcasting counts axes from the end.
	for i, p := range from {
		s.axis[i] = to[0].Axis - len(to[0].Shape) + len(p.Shape)
	}
	for i, id := range n.Out {
		s.out = append(s.out, c.newMembers(id, to[i].Axis))
	}
	c.plan.steps = append(c.plan.steps, s)
	return true
}

// run computes the node. Instances and rows are copied once for each member of the block; values of
// members lie in this order already.
func (s *together) run(r *Runner) error {
	b := &r.block
	on := r.span(s.out[0])
	in, places, out := b.node(len(s.in), len(s.out))
	for i := range s.in {
		var err error
		switch o, t := &s.in[i], &places[i]; o.kind {
		case perMember:
			// A step on constant places alone takes them out of a value that has all places.
			if in[i] = &b.values[o.slot]; on == &b.first && r.span(o.slot) != on {
				in[i], err = t, r.gather(t, in[i], r.p.members[o.slot].axis, b.heads)
			}
		case perInstance:
			err = r.gather(t, o.tensor, o.axis, on.list)
		case row:
			err = r.repeat(t, o.slot, s.axis[i], on)
		case sizeList:
			err = r.counted(t, o, len(on.list))
		default:
			in[i] = o.tensor
		}
		if err != nil {
			return err
		}
	}
	err := s.node.Func(r.m, in, out)
	r.m.EndNode()
	for i := range places {
		r.m.Release(&places[i])
	}
	if err != nil {
		return plan.Wrap(r.m, s.node, err)
	}
	for i, at := range s.out {
		slot := &r.p.members[at]
		if made := out[i]; made.Type == tensor.Float64 && slot.typ == tensor.Float32 {
			out[i] = as32(made)
			r.m.Release(made)
		}
		if !slot.sameShape(out[i], len(on.list)) {
			return plan.Wrap(r.m, s.node, slot.differs(out[i], len(on.list)))
		}
		move(&b.values[at], out[i])
	}
	return nil
}

// repeat makes t the rows of a slot, each repeated for the members of its coalition along an axis,
// which the rows lack if it is negative.
func (r *Runner) repeat(t *tensor.Tensor, at, axis int, on *span) error {
	b, s := &r.block, &r.stacks[at]
	shape := b.shape[:0]
	for ; axis < 0; axis++ {
		shape = append(shape, 1)
	}
	shape = append(shape, s.shape...)
	b.shape = shape
	outer, _, inner := tensor.Split(shape, axis)
	shape[axis] = len(on.list)
	if err := r.m.Alloc(t, s.typ, shape...); err != nil {
		return err
	}
	if err := r.m.Tick(t.Len()); err != nil {
		return err
	}
	inner *= s.typ.Size()
	dst := t.Bytes()
	for j := range r.Len() {
		src := bytesOf(s.data[j*s.words : (j+1)*s.words])
		for o := range outer {
			for i := on.starts[j]; i < on.starts[j+1]; i++ {
				copy(dst[(o*len(on.list)+i)*inner:][:inner], src[o*inner:])
			}
		}
	}
	return nil
}
