package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// apart is the step that runs a node on the members of one coalition after another: the function
// gets what it would get in a run of the whole graph on this coalition.
type apart struct {
	node *graph.Node
	in   []memberOperand
	out  []int  // slots of members or of rows, -1 for unread outputs
	rows []bool // (output) it is a row
}

func (s *apart) reads() []int { return reads(s.in...) }
func (s *apart) writes() (slots []int) {
	for i, at := range s.out {
		if at >= 0 && !s.rows[i] {
			slots = append(slots, at)
		}
	}
	return slots
}

func (s *apart) need(all []bool) {
	for _, at := range s.writes() {
		all[at] = true
	}
	need(all, s.in...)
}

// worthwhile has the kinds of operators that are compiled for single coalitions. The others, such
// as recurrent layers and convolutions, do so much by themselves that a plan of members gains
// nothing: gathered coalitions of one size run together.
var worthwhile = []ops.Kind{ops.Elementwise, ops.PassThrough, ops.Broadcast, ops.Linear,
	ops.AlongAxis, ops.Reduce, ops.Normalize, ops.Copy, ops.Layout, ops.Assemble, ops.ReadShape}

// apart compiles a node for single coalitions. The shapes of runs with different numbers of
// instances say which outputs have an axis of members.
func (c *compiler) apart(n *graph.Node, in []memberOperand) error {
	if !slices.Contains(worthwhile, n.Row.Kind) || n.Row.Kind == ops.Linear &&
		n.Row.Product == nil {
		return mixes(n)
	}
	s := &apart{node: n, in: in, out: slices.Repeat([]int{-1}, len(n.Out)),
		rows: make([]bool, len(n.Out))}
	axes := make([]int, len(n.Out))
	// Outputs with two axes of members, or another number of places, have no slot.
	for i, id := range n.Out {
		if id < 0 {
			continue
		}
		varies, ok := c.Varies(id)
		if !ok {
			return mixes(n)
		}
		axes[i] = slices.Index(varies, true)
		if at := axes[i]; at >= 0 && (slices.Contains(varies[at+1:], true) ||
			c.Place(id).Shape[at] != c.Instances+c.plan.lead) {
			return mixes(n)
		}
	}
	for i, id := range n.Out {
		if id < 0 {
			continue
		}
		if s.rows[i] = axes[i] < 0; s.rows[i] {
			c.names[id] = ""
			s.out[i] = c.newRow(id, c.Place(id).Type, c.Place(id).Shape)
			continue
		}
		s.out[i] = c.newMembers(id, axes[i])
	}
	c.plan.steps = append(c.plan.steps, s)
	return nil
}

// run computes the node for every coalition.
func (s *apart) run(r *Runner) error {
	in, places, out := r.block.node(len(s.in), len(s.out))
	for j := range r.Len() {
		for i := range s.in {
			if err := r.operand(&places[i], &s.in[i], j); err != nil {
				return err
			}
			if s.in[i].omitted() {
				in[i] = nil
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
			if at >= 0 {
				if err := s.keep(r, at, s.rows[i], out[i], j); err != nil {
					return err
				}
			}
			r.m.Release(out[i])
		}
	}
	return nil
}

// keep copies the output of coalition j to a slot.
func (s *apart) keep(r *Runner, at int, isRow bool, t *tensor.Tensor, j int) error {
	if isRow {
		if err := r.stacks[at].set(t, j); err != nil {
			return plan.Wrap(r.m, s.node, err)
		}
		return nil
	}
	if j == 0 {
		if _, err := r.alloc(at); err != nil {
			return err
		}
	}
	return r.keep(s.node, at, t, j)
}

// keep copies t, the members of coalition j, to a slot.
func (r *Runner) keep(n *graph.Node, at int, t *tensor.Tensor, j int) error {
	slot, on := &r.p.members[at], r.span(at)
	if slot.typ == tensor.Float32 {
		t = as32(t)
	}
	if !slot.sameShape(t, on.size(j)) {
		return plan.Wrap(r.m, n, slot.differs(t, on.size(j)))
	}
	join(&r.block.values[at], on.starts[j], t, slot.axis)
	return nil
}

// operand makes t the input of coalition j.
func (r *Runner) operand(t *tensor.Tensor, o *memberOperand, j int) error {
	b := &r.block
	t.Block = nil
	switch o.kind {
	case perMember:
		on := r.span(o.slot)
		lo, size := on.starts[j], on.size(j)
		if o.first {
			size = r.p.lead
		}
		return r.slice(t, &b.values[o.slot], r.p.members[o.slot].axis, lo, size)
	case perInstance:
		list := b.of(j)
		if o.first {
			list = b.first.of(j)
		}
		if !r.whole(list) {
			return r.gather(t, o.tensor, o.axis, list)
		}
	case row:
		r.stacks[o.slot].at(t, j)
		return nil
	case sizeList:
		return r.counted(t, o, b.size(j))
	}
	if o.tensor != nil {
		t.Type, t.Words, t.Shape = o.tensor.Type, o.tensor.Words,
			append(t.Shape[:0], o.tensor.Shape...)
	}
	return nil
}

// slice makes t some places of another tensor, from lo on: a view if they are contiguous and begin
// at a word, else a copy.
func (r *Runner) slice(t, of *tensor.Tensor, axis, lo, size int) error {
	outer, n, inner := tensor.Split(of.Shape, axis)
	inner *= of.Type.Size()
	r.block.shape = append(r.block.shape[:0], of.Shape...)
	r.block.shape[axis] = size
	if first := lo * inner; outer == 1 && first%8 == 0 {
		t.Type, t.Shape = of.Type, append(t.Shape[:0], r.block.shape...)
		t.Words = of.Words[first/8 : (first+size*inner+7)/8]
		return nil
	}
	if err := r.m.Alloc(t, of.Type, r.block.shape...); err != nil {
		return err
	}
	src, dst := of.Bytes(), t.Bytes()
	for o := range outer {
		copy(dst[o*size*inner:][:size*inner], src[(o*n+lo)*inner:])
	}
	return r.m.Tick(t.Len())
}

// join copies t into the slices of to from number at on.
func join(to *tensor.Tensor, at int, t *tensor.Tensor, axis int) {
	outer, size, inner := tensor.Split(t.Shape, axis)
	inner *= t.Type.Size()
	m := to.Shape[axis]
	src, dst := t.Bytes(), to.Bytes()
	for o := range outer {
		copy(dst[(o*m+at)*inner:][:size*inner], src[o*size*inner:])
	}
}
