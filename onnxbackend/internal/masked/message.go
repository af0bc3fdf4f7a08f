package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A layer of a graph network adds a row of the coalition to what each member brings along:
// relu(W x + row). These nodes are one step here. A layer of values that do not depend on the
// coalition is computed once for the bag.

// message is the step of a sum of members and a row, with the layer and the rectifier around it.
type message struct {
	x     memberOperand // operand of the members, or of the bag's instances
	row   int           // slot
	out   int           // slot of members
	width int           // numbers of a member
	relu  bool

	inner  int       // numbers of a member of x
	packed []float32 // weights of the layer, (inner, width), packed; nil for x itself
}

func (s *message) reads() []int  { return reads(s.x) }
func (s *message) writes() []int { return []int{s.out} }

func (s *message) need(all []bool) {
	all[s.out] = true
	need(all, s.x)
}

// shift compiles an Add of members and a row of as many numbers, and reports whether it is one.
func (c *compiler) shift(n *graph.Node, in []value) bool {
	if n.Op != "Add" || len(in) != 2 {
		return false
	}
	x, r, id := in[0], in[1], n.In[0]
	if x.kind == row {
		x, r, id = r, x, n.In[1]
	}
	if x.kind != perInstance && x.kind != perMember || r.kind != row ||
		x.place.Type != tensor.Float32 || c.plan.slots[r.slot].typ != tensor.Float32 {
		return false
	}
	// The row must have a number for each one of a member, and size 1 in the axis of members.
	// Members are rows of the kernels' matrices, so that no axis may come before theirs.
	outer, _, width := tensor.Split(x.place.Shape, x.place.Axis)
	beside := c.plan.slots[r.slot].shape
	if lead := len(x.place.Shape) - len(beside); lead < 0 || outer != 1 {
		return false
	} else if beside = append(ones(lead), beside...); beside[x.place.Axis] != 1 {
		return false
	}
	if count, _ := tensor.Count(beside); count != width {
		return false
	}
	s := &message{row: r.slot, width: width, inner: width, x: memberOperand{kind: x.kind,
		tensor: x.tensor, axis: x.place.Axis, slot: x.slot}}
	if x.kind == perMember {
		c.layerBefore(s, id)
	}
	s.out = c.newMembers(n.Out[0], x.place.Axis)
	c.plan.steps = append(c.plan.steps, s)
	return true
}

// layerBefore moves the layer that computes a value, which no other node reads, into the step that
// shifts it.
func (c *compiler) layerBefore(s *message, id int) {
	at := slices.IndexFunc(c.plan.steps, func(st step) bool {
		t, ok := st.(*together)
		return ok && t.out[0] == s.x.slot
	})
	if at < 0 || c.read[id] != 1 {
		return
	}
	t := c.plan.steps[at].(*together)
	n := t.node
	if n.Op != "MatMul" || len(t.in) != 2 || n.Activation != nil || t.in[0].kind != perMember ||
		t.in[1].kind != constant {
		return
	}
	from, w := &c.plan.members[t.in[0].slot], t.in[1].tensor
	if w.Rank() != 2 || w.Type != tensor.Float32 || from.typ != tensor.Float32 ||
		from.axis != len(from.shape)-2 || w.Shape[1] != s.width {
		return
	}
	size := kernel.PackedLen(w.Shape[0], w.Shape[1])
	if c.Machine.Outlive(4*size) != nil {
		return // the step of its own packs nothing
	}
	s.packed = make([]float32, size)
	kernel.Pack(s.packed, tensor.Of[float32](w), w.Shape[0], w.Shape[1], w.Shape[1], false)
	s.x, s.inner = t.in[0], w.Shape[0]
	c.plan.steps = slices.Delete(c.plan.steps, at, at+1)
}

// activate moves a Relu into the step that shifts its input, and reports whether it did.
func (c *compiler) activate(n *graph.Node, in []value) bool {
	if n.Op != "Relu" || in[0].kind != perMember || c.read[n.In[0]] != 1 {
		return false
	}
	for _, st := range c.plan.steps {
		if s, ok := st.(*message); ok && s.out == in[0].slot && !s.relu {
			s.relu = true
			c.values[n.Out[0]] = in[0]
			return true
		}
	}
	return false
}

// run computes the members of one coalition after another.
func (s *message) run(r *Runner) error {
	b := &r.block
	to, err := r.alloc(s.out)
	if err != nil {
		return err
	}
	if err := r.m.Tick(len(b.list) * s.width * (1 + len(s.packed)/max(1, s.width))); err != nil {
		return err
	}
	dst, rows := tensor.Of[float32](to), &r.stacks[s.row]
	from := s.x.tensor
	if s.x.kind == perMember {
		from = &b.values[s.x.slot]
	}
	x := tensor.Of[float32](from)
	act := kernel.ActNone
	if s.relu {
		act = kernel.ActRelu
	}
	// The row of the coalition is the bias of a layer, of values that lie one after another, or of
	// instances of the bag.
	for j := range r.Len() {
		lo, size, bias := b.starts[j], b.size(j), view[float32](rows, j)
		part := dst[lo*s.width : (lo+size)*s.width]
		switch {
		case s.packed != nil:
			kernel.Gemm(part, s.width, x[lo*s.inner:], s.inner, s.packed, size, s.width, s.inner,
				kernel.Epilogue{Bias: bias, Act: act})
		case s.x.kind == perMember:
			kernel.Shift(part, x[lo*s.width:], s.width, b.count(size), bias, act)
		default:
			kernel.Shift(part, x, s.width, b.of(j), bias, act)
		}
	}
	return nil
}

// totals is the step of a sum or mean of the members.
type totals struct {
	in, out int // slots of members and of rows
	mean    bool
}

func (s *totals) reads() []int  { return []int{s.in} }
func (s *totals) writes() []int { return nil }

func (s *totals) need(all []bool) { all[s.in] = true }

// total compiles a sum or mean over the members alone, and reports whether it is one.
func (c *compiler) total(n *graph.Node, in []value) bool {
	x, by := in[0], n.Row.Reduces
	if x.kind != perMember || by != compute.Sum && by != compute.Mean ||
		!n.PoolsAlong(places(in)) ||
		x.place.Type != tensor.Float32 {
		return false
	}
	outer, _, width := tensor.Split(x.place.Shape, x.place.Axis)
	out := c.Place(n.Out[0]).Shape
	if count, _ := tensor.Count(out); outer != 1 || count != width {
		return false
	}
	c.plan.steps = append(c.plan.steps, &totals{in: x.slot, mean: by == compute.Mean,
		out: c.newRow(n.Out[0], tensor.Float32, out)})
	return true
}

// totalRows is the number of members that are summed in float32; their sums are summed in float64.
const totalRows = 256

// run sums the members of one coalition after another.
func (s *totals) run(r *Runner) error {
	b := &r.block
	out, x := &r.stacks[s.out], tensor.Of[float32](&b.values[s.in])
	width := out.count
	if err := r.m.Tick(len(x)); err != nil {
		return err
	}
	for len(b.ones) < totalRows {
		b.ones = append(b.ones, 1)
	}
	r.sums, r.running = resized(r.sums, width), resized(r.running, width)
	for j := range r.Len() {
		clear(r.running)
		for lo := b.starts[j]; lo < b.starts[j+1]; lo += totalRows {
			rows := min(totalRows, b.starts[j+1]-lo)
			kernel.Gemv(r.sums, b.ones[:rows], x[lo*width:], width, width)
			for i, v := range r.sums {
				r.running[i] += float64(v)
			}
		}
		by := 1.0
		if s.mean {
			by = 1 / float64(b.size(j))
		}
		to := view[float32](out, j)
		for i, v := range r.running {
			to[i] = float32(v * by)
		}
	}
	return nil
}
