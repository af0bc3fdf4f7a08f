package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Transformers put a class token before the instances and read its value behind the last layer.
// Values from the token on lead with places that every coalition has: place i is of instance
// i - lead. Nodes that keep places apart and read nothing else are computed once for the bag. Of
// values that only the token's output needs, the token's places are computed alone.

// extend compiles a node that puts constant places before the instances, and reports whether it is
// one: a Concat of constants and the instances, or a Pad, as for their mask. The first one must
// come before all members, and the others must put as many places.
func (c *compiler) extend(n *graph.Node, in []value) bool {
	var x value
	var others []value
	axis := -1
	switch n.Op {
	case "Concat":
		last := len(in) - 1
		x, others = in[last], in[:last]
		axis, _ = tensor.Axis(n.Int("axis", 0), len(x.place.Shape))
	case "Pad":
		x, others = in[0], in[1:]
		axis = padsBefore(n, in)
	}
	if x.kind != perInstance || x.lead > 0 || axis != x.place.Axis || x.place.Merged() ||
		slices.ContainsFunc(others, func(v value) bool { return v.kind != constant }) {
		return false
	}
	made, err := c.compute(n, tensors(in))
	if err != nil {
		return false
	}
	// All values of members have as many places before them.
	lead := made[0].Shape[axis] - c.Instances
	if lead <= 0 || lead != c.plan.lead && (c.plan.lead > 0 || c.plan.withMembers) {
		return false
	}
	c.plan.lead = lead
	c.values[n.Out[0]] = value{kind: perInstance, tensor: made[0], lead: lead,
		place: ops.Place{Class: ops.Instance, Axis: axis, Shape: made[0].Shape,
			Type: made[0].Type}}
	return true
}

// padsBefore returns the only axis that a Pad with constants extends, if it does so before the
// first place alone, else -1.
func padsBefore(n *graph.Node, in []value) int {
	if n.Text("mode", "constant") != "constant" || len(in) < 2 || len(in) > 3 ||
		in[1].kind != constant || in[1].tensor == nil || in[1].tensor.Type != tensor.Int64 {
		return -1
	}
	axis, pads := -1, tensor.Of[int64](in[1].tensor)
	for i, p := range pads {
		switch {
		case p == 0:
		case axis >= 0 || p < 0 || i >= len(pads)/2:
			return -1
		default:
			axis = i
		}
	}
	return axis
}

// ahead compiles a node of values that do not depend on the coalition, if it keeps places apart,
// and reports whether it does. It may fill the places with a constant, such as a mask of ones.
func (c *compiler) ahead(n *graph.Node, in []value) bool {
	lead, ok := leadOf(in)
	if !ok || lead < 0 || slices.ContainsFunc(in, func(v value) bool {
		return v.kind != constant && v.kind != sizeList && v.kind != perInstance
	}) {
		return false
	}
	to := make([]ops.Place, len(n.Out))
	for i, id := range n.Out {
		if id >= 0 {
			to[i] = ops.Place{Shape: c.Place(id).Shape, Type: c.Place(id).Type}
		}
	}
	n.Row.Axes.Apply(&n.Node, c.Instances+lead, places(in), to)
	for i, id := range n.Out {
		if id >= 0 && (to[i].Class != ops.Instance || to[i].Merged()) {
			return false
		}
	}
	made, err := c.compute(n, tensors(in))
	if err != nil {
		return false
	}
	for i, id := range n.Out {
		if id >= 0 {
			to[i].Shape, to[i].Type = made[i].Shape, made[i].Type
			c.values[id] = value{kind: perInstance, place: to[i], tensor: made[i], lead: lead}
		}
	}
	return true
}

// leadOf returns how many constant places the values lead with that a node reads, -1 if it reads
// none that have places. It reports false if they differ.
func leadOf(in []value) (places int, ok bool) {
	places = -1
	for _, v := range in {
		switch v.kind {
		case perInstance, perMember, pairwise, sizeList:
			if places >= 0 && v.lead != places {
				return 0, false
			}
			places = v.lead
		}
	}
	return places, true
}

// firstAlone reports whether a node reads only the constant places of its input: a Gather or a
// Slice of them.
func (c *compiler) firstAlone(n *graph.Node, in []value) bool {
	x := in[0]
	if x.kind != perInstance && x.kind != perMember || x.place.Merged() ||
		slices.ContainsFunc(in[1:], func(v value) bool { return v.kind != constant }) {
		return false
	}
	at := func(i int) []int64 {
		if i >= len(in) || in[i].tensor == nil || in[i].tensor.Type != tensor.Int64 {
			return nil
		}
		return tensor.Of[int64](in[i].tensor)
	}
	inside := func(v int64) bool { return v >= 0 && v < int64(c.plan.lead) }
	switch n.Op {
	case "Gather":
		axis, ok := tensor.Axis(n.Int("axis", 0), len(x.place.Shape))
		places := at(1)
		return ok && axis == x.place.Axis && len(places) > 0 &&
			!slices.ContainsFunc(places, func(v int64) bool { return !inside(v) })
	case "Slice":
		starts, ends, axes, steps := at(1), at(2), at(3), at(4)
		if len(starts) != 1 || len(ends) != 1 || len(axes) != 1 ||
			len(steps) > 1 || len(steps) == 1 && steps[0] != 1 || len(in) > 4 && steps == nil {
			return false
		}
		axis, ok := tensor.Axis(int(axes[0]), len(x.place.Shape))
		return ok && axis == x.place.Axis && inside(starts[0]) && inside(ends[0]-1)
	}
	return false
}

// narrow finds the values of members of which only the constant places are needed, from the last
// step to the first.
func (p *Plan) narrow() {
	all := make([]bool, len(p.members))
	for _, st := range slices.Backward(p.steps) {
		if m, ok := st.(memberStep); ok {
			m.need(all)
		}
	}
	for at := range p.members {
		p.members[at].first = p.lead > 0 && !all[at]
		p.wide = p.wide || !p.members[at].first
	}
}

// need marks the slots of operands of which a step reads all members.
func need(all []bool, in ...memberOperand) {
	for _, o := range in {
		if o.kind == perMember && !o.first {
			all[o.slot] = true
		}
	}
}
