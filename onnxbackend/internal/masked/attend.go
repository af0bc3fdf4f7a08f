package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Self-attention computes scores of all pairs of places from queries and keys, weights by a softmax
// over the keys, and the weighted sum of values. Graphs whose edges follow from the instances, and
// biases such as distances, are values of pairs, too. A value of pairs that does not depend on the
// coalition is computed once for the bag, and a coalition takes its pairs. The nodes between such
// values and the first result with one axis of places, or none, are one step. It runs the graph's
// own nodes on the places of one coalition after another.

// pairs describes a pairwise value.
type pairs struct {
	axes  [2]int         // axes of queries and of keys
	whole *tensor.Tensor // value of the bag if it does not depend on the coalition, else nil
	made  *madeOf        // how a coalition's is computed, else nil
	given bool           // whole is a part of the bag
}

// madeOf is a node of an attention with its inputs.
type madeOf struct {
	node    *graph.Node
	in      []value
	queries queries
}

// queries says how a node combines queries and keys.
type queries struct {
	query []bool // (input) its only axis of places is that of queries
	axis  int    // axis of queries in the output, -1 if the node mixes queries
}

// maxScores bounds the bytes of the scores of a whole bag: 1,400 instances with 8 heads. Coalitions
// of larger bags compute their own.
const maxScores = 64 << 20

// attend compiles a node of a self-attention, and reports whether it is one.
func (c *compiler) attend(n *graph.Node, in []value) bool {
	if n.Op == "Attention" && c.fused(n, in) {
		return true
	}
	axes, ok := c.placeAxes(n, in)
	switch {
	case !ok:
		return false
	case len(axes) == 1 && len(axes[0]) == 2:
		return c.paired(n, in, [2]int(axes[0]))
	case !slices.ContainsFunc(in, func(v value) bool { return v.kind == pairwise }) ||
		slices.ContainsFunc(axes, func(a []int) bool { return len(a) > 1 }):
		return false
	}
	return c.meet(n, in, axes, c.queriesOf(n, in, false))
}

// placeAxes returns the axes of the outputs of a node that have the places of a coalition. It
// reports false if that is unknown, or if an axis has another number of places.
func (c *compiler) placeAxes(n *graph.Node, in []value) (axes [][]int, ok bool) {
	lead, _ := leadOf(in)
	for _, id := range n.Out {
		var found []int
		if id >= 0 {
			varies, known := c.Varies(id)
			if !known {
				return nil, false
			}
			for d, v := range varies {
				if v && c.Place(id).Shape[d] != c.Instances+lead {
					return nil, false
				}
				if v {
					found = append(found, d)
				}
			}
		}
		axes = append(axes, found)
	}
	return axes, lead == c.plan.lead
}

// fused compiles an Attention without a mask and earlier keys. Its queries, keys and values are
// (batch, head, place, width) or (batch, place, width of all heads). Queries, or both keys and
// values, may also be rows or constants, such as learned queries behind an encoder. Without queries
// of members, the result is a row.
func (c *compiler) fused(n *graph.Node, in []value) bool {
	rank := len(in[0].place.Shape)
	var ofPlaces [3]bool
	for i, v := range in {
		if i > 2 {
			if v.kind != constant || v.tensor != nil {
				return false
			}
			continue
		}
		typ := v.place.Type
		switch v.kind {
		case constant:
			if v.tensor == nil {
				return false
			}
			typ = v.tensor.Type
		case row:
			typ = c.plan.slots[v.slot].typ
		case perInstance, perMember:
			ofPlaces[i] = true
			if v.place.Merged() || v.place.Axis != rank-2 {
				return false
			}
		default:
			return false
		}
		if len(v.place.Shape) != rank || rank < 3 || typ != tensor.Float32 {
			return false
		}
	}
	if !c.firstOutput(n) || ofPlaces[1] != ofPlaces[2] || !ofPlaces[0] && !ofPlaces[1] {
		return false
	}
	if !ofPlaces[0] {
		return c.meet(n, in[:3], [][]int{nil}, queries{query: make([]bool, 3), axis: -1})
	}
	return c.meet(n, in[:3], [][]int{{rank - 2}}, queries{query: []bool{true, false, false},
		axis: rank - 2})
}

// firstOutput reports whether no output of a node but the first is read. Exporters also list the
// others: PyTorch leaves them without a name.
func (c *compiler) firstOutput(n *graph.Node) bool {
	return n.Out[0] >= 0 && !slices.ContainsFunc(n.Out[1:], func(id int) bool {
		return id >= 0 && c.read[id] > 0
	})
}

// paired makes the output of a node a pairwise value.
func (c *compiler) paired(n *graph.Node, in []value, axes [2]int) bool {
	id := n.Out[0]
	v := c.queriesOf(n, in, true)
	both := v.axis >= 0
	if !both {
		v = c.queriesOf(n, in, false)
	}
	p := &pairs{axes: axes, made: &madeOf{n, in, v}}
	if v.axis == axes[1] {
		p.axes = [2]int{axes[1], axes[0]}
	}
	place := ops.Place{Class: ops.Instance, Axis: p.axes[0], Shape: c.Place(id).Shape,
		Type: c.Place(id).Type}
	out := value{kind: pairwise, pairs: p, lead: c.plan.lead, place: place,
		tensor: &tensor.Tensor{Type: place.Type, Shape: place.Shape}}
	words := tensor.WordsFor(place.Type, out.tensor.Len())
	if both && words <= maxScores/8 && !slices.ContainsFunc(in, func(v value) bool {
		return v.kind != constant && v.kind != perInstance && (v.kind != pairwise ||
			v.pairs.whole == nil)
	}) {
		if made, err := c.compute(n, tensors(in)); err == nil {
			p.whole, p.made, out.tensor = made[0], nil, made[0]
		}
	}
	c.values[id] = out
	return true
}

// matrix returns a value of each pair of instances that the bag has along two neighbouring axes.
func matrix(t *tensor.Tensor, axis int) value {
	return value{kind: pairwise, tensor: t,
		place: ops.Place{Class: ops.Instance, Axis: axis, Shape: t.Shape, Type: t.Type},
		pairs: &pairs{axes: [2]int{axis, axis + 1}, whole: t, given: true}}
}

// queriesOf finds which inputs of a node have queries, so that it keeps queries apart. If both is
// true, it must also keep keys apart: each pair of the output then depends on its query and its key
// alone. The axis of the result is -1 if there are no such inputs.
func (c *compiler) queriesOf(n *graph.Node, in []value, both bool) queries {
	var free []int // inputs that have queries or keys
	for i, v := range in {
		if v.kind == perInstance || v.kind == perMember {
			free = append(free, i)
		}
	}
	for set := range 1 << min(len(free), 4) {
		v := queries{query: make([]bool, len(in))}
		for bit, i := range free {
			// The first inputs are queries rather than the last ones.
			v.query[i] = set>>bit&1 == 0
		}
		v.axis = c.apartAlong(n, in, v.query, 0)
		if v.axis < 0 {
			continue
		}
		if key := c.apartAlong(n, in, v.query, 1); !both || key >= 0 && key != v.axis {
			return v
		}
	}
	return queries{query: make([]bool, len(in)), axis: -1}
}

// apartAlong returns the axis of the output of a node in which it keeps queries apart, or, of side
// 1, keys. The rule of the axis answers if all that has only the others is a constant. It returns
// -1 if the node mixes them.
func (c *compiler) apartAlong(n *graph.Node, in []value, query []bool, side int) int {
	from := places(in)
	for i, v := range in {
		switch v.kind {
		case pairwise:
			from[i].Axis = v.pairs.axes[side]
		case perInstance, perMember:
			if query[i] == (side == 0) {
				continue
			}
			fallthrough
		case row:
			from[i] = ops.Place{Class: ops.Constant, Shape: v.place.Shape, Type: v.place.Type}
		}
	}
	to := make([]ops.Place, len(n.Out))
	for i, id := range n.Out {
		if id >= 0 {
			to[i] = ops.Place{Shape: c.Place(id).Shape, Type: c.Place(id).Type}
		}
	}
	n.Row.Axes.Apply(&n.Node, c.Instances+c.plan.lead, from, to)
	axis := -1
	for i, id := range n.Out {
		if id < 0 {
			continue
		}
		if to[i].Class != ops.Instance || to[i].Merged() || axis >= 0 && to[i].Axis != axis {
			return -1
		}
		axis = to[i].Axis
	}
	return axis
}

// meet compiles a node that reads pairs and computes members or rows to a step, with all nodes that
// compute its pairs. axes holds the axes of places of each output, one at most. Outputs behind them
// must not be read.
func (c *compiler) meet(n *graph.Node, in []value, axes [][]int, v queries) bool {
	s := &attention{}
	s.node, s.narrows = n, true
	nodes := map[*pairs]int{} // number of the step's node that computes pairs
	memory := 0               // bytes of the bag's pairs, which the plan keeps
	// add makes inputs of a node: constants, operands from outside of the step (negative), or
	// results of its nodes, which it adds in the order in which they run.
	var add func(m *madeOf) (at []pairInput)
	add = func(m *madeOf) (at []pairInput) {
		s.narrows = s.narrows && m.queries.axis >= 0
		for i, x := range m.in {
			switch {
			case x.kind == constant:
				at = append(at, pairInput{tensor: x.tensor, constant: true})
			case x.kind == pairwise && x.pairs.whole == nil:
				number, known := nodes[x.pairs]
				if !known {
					inputs := add(x.pairs.made)
					number = len(s.nodes)
					s.nodes = append(s.nodes, pairNode{x.pairs.made.node, inputs})
					nodes[x.pairs] = number
				}
				at = append(at, pairInput{at: number})
			default:
				o := pairOperand{memberOperand: memberOf(x), query: m.queries.query[i]}
				if x.kind == pairwise {
					o.axes = x.pairs.axes
				}
				if x.kind == pairwise && !x.pairs.given {
					memory += 8 * len(x.tensor.Words)
				}
				s.narrows = s.narrows && x.kind != sizeList
				s.operands = append(s.operands, o)
				at = append(at, pairInput{at: -len(s.operands)})
			}
		}
		return at
	}
	s.last = add(&madeOf{n, in, v})
	if c.Machine.Outlive(memory) != nil {
		return false
	}
	for i, id := range n.Out[:len(axes)] {
		s.rows = append(s.rows, len(axes[i]) == 0)
		switch {
		case id < 0:
			s.out = append(s.out, -1)
		case s.rows[i]:
			c.names[id] = ""
			s.narrows = false
			s.out = append(s.out, c.newRow(id, c.Place(id).Type, c.Place(id).Shape))
		default:
			s.narrows = s.narrows && axes[i][0] == v.axis
			s.out = append(s.out, c.newMembers(id, axes[i][0]))
		}
	}
	c.plan.steps = append(c.plan.steps, s)
	return true
}
