package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Graph networks and transformers give each member of a coalition values that depend on the other
// members. These are perMember values: their number is the sum of the coalitions' sizes. A run goes
// through the coalitions in blocks, in which the members of all coalitions lie one after another
// along the axis of instances, see block.go. A node that keeps instances apart runs once for a
// block (together.go). Nodes of pairs (attend.go) and any other node (apart.go) run for each
// coalition on its members alone, as the whole graph would. A class token is a place that every
// coalition has (lead.go).

// memberSlot describes a perMember value.
type memberSlot struct {
	typ   tensor.Type
	shape []int // shape for the whole bag
	axis  int   // axis of the members
	first bool  // only the constant places before the members are computed
}

// memberOperand is an input of a node of members.
type memberOperand struct {
	kind   kind           // constant, perInstance, row, sizeList or perMember
	tensor *tensor.Tensor // value of the whole bag; nil for slots and omitted inputs
	axis   int            // axis of the instances, for perInstance
	slot   int            // slot of a row or of members
	sizes  []int          // sizes of a sizeList, as ops.Place.Sizes
	first  bool           // only the constant places before the members are read
}

// omitted reports whether an operand is an omitted input.
func (o *memberOperand) omitted() bool { return o.kind == constant && o.tensor == nil }

// members compiles a node to steps on the members of coalitions.
func (c *compiler) members(n *graph.Node) error {
	if c.Varies == nil || c.Instances < 2 {
		return mixes(n)
	}
	in := make([]value, len(n.In))
	for i, id := range n.In {
		if id < 0 {
			continue
		}
		var err error
		if in[i], err = c.separate(n, id); err != nil {
			return err
		}
	}
	if c.extend(n, in) {
		return nil
	}
	if lead, ok := leadOf(in); !ok ||
		lead >= 0 && lead != c.plan.lead && c.plan.withMembers {
		return mixes(n) // a step works on one list of places
	}
	if c.ahead(n, in) {
		return nil
	}
	if n.Row.Kind == ops.Create { // filled in for each coalition, it gains less than gathering
		return mixes(n)
	}
	if c.attend(n, in) {
		return nil
	}
	if slices.ContainsFunc(in, func(v value) bool { return v.kind == pairwise }) {
		return mixes(n)
	}
	if c.shift(n, in) || c.activate(n, in) || c.total(n, in) {
		return nil
	}
	operands := make([]memberOperand, len(in))
	for i, v := range in {
		operands[i] = memberOf(v)
	}
	if c.together(n, in, operands) {
		return nil
	}
	operands[0].first = c.firstAlone(n, in)
	return c.apart(n, operands)
}

// memberOf returns a value as an operand of members.
func memberOf(v value) memberOperand {
	o := memberOperand{kind: v.kind, tensor: v.tensor, axis: v.place.Axis, slot: v.slot,
		sizes: v.place.Sizes}
	if v.kind == perMember {
		o.tensor = nil
	}
	return o
}

// separate returns a value that a node reads as an operand of members. Values that are kept as
// factors of a later sum, such as the weights of a softmax, are compiled again from the node that
// computes them.
func (c *compiler) separate(n *graph.Node, id int) (value, error) {
	v := c.value(id)
	if v.tensor == nil && (v.kind == constant || v.kind == perInstance) {
		return v, mixes(n) // such as the relations of instances
	}
	switch v.kind {
	case ratio, shifted, repeated:
		if err := c.members(c.producers[id]); err != nil {
			return value{}, err
		}
		v = c.values[id]
	case perInstance:
		if v.place.Merged() {
			return value{}, refusal(n, "reads instances that are merged with another axis")
		}
	case row:
		if s := c.unread[c.plan.slots[v.slot].of]; s != nil { // a sum that no step needed before
			c.plan.steps = append(c.plan.steps, s)
			delete(c.unread, s.out)
		}
	}
	return v, nil
}

// newMembers makes a value of the graph one of members with a new slot, which it returns.
func (c *compiler) newMembers(id int, axis int) int {
	at, p := len(c.plan.members), c.Place(id)
	c.plan.members = append(c.plan.members, memberSlot{typ: p.Type,
		shape: slices.Clone(p.Shape), axis: axis})
	p.Class, p.Axis, p.Outer, p.Inner = ops.Instance, axis, 0, 0
	// Operators that read sizes alone get them from a tensor without elements.
	c.values[id] = value{kind: perMember, place: p, slot: at, lead: c.plan.lead,
		tensor: &tensor.Tensor{Type: p.Type, Shape: p.Shape}}
	return at
}

// reads returns the slots of members that operands read.
func reads(in ...memberOperand) (slots []int) {
	for _, o := range in {
		if o.kind == perMember {
			slots = append(slots, o.slot)
		}
	}
	return slots
}

// A memberStep is a step that reads or writes members.
type memberStep interface {
	step
	reads() []int  // slots of members
	writes() []int // slots of members
	// need marks the slots of which a step reads more than the constant places, given those of its
	// outputs, and outputs that it always computes.
	need(all []bool)
}

// shares reports whether a step computes the members of several coalitions together.
func shares(st step) bool {
	_, isApart := st.(*apart)
	_, isMember := st.(memberStep)
	return isMember && !isApart
}

// lives finds the steps after which the members of a slot are freed: the last that reads them, or
// the one that writes them.
func (p *Plan) lives() {
	last := make([]int, len(p.members))
	for i, st := range p.steps {
		if m, ok := st.(memberStep); ok {
			for _, at := range slices.Concat(m.reads(), m.writes()) {
				last[at] = i
			}
		}
	}
	p.free = make([][]int, len(p.steps))
	for at, i := range last {
		p.free[i] = append(p.free[i], at)
	}
}
