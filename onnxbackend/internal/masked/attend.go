package masked

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Self-attention computes scores of all pairs of places from queries and keys, weights by a softmax
// over the keys, and the weighted sum of values. It is one step, which runs the graph's own nodes
// on the places of one coalition after another. In a first layer, queries and keys do not depend on
// the coalition: the scores are computed once for the bag, and a coalition takes its pairs.

// pairs describes a pairwise value, (..., query, key).
type pairs struct {
	query, key value
	product    *graph.Node
	// scores are those of the whole bag if queries and keys do not depend on the coalition.
	scores *tensor.Tensor
	id     int           // value that scores are, or the output of product
	nodes  []*graph.Node // nodes that compute the value from it, in order
}

// maxScores bounds the bytes of the scores of a whole bag: 1,400 instances with 8 heads. Coalitions
// of larger bags compute their own.
const maxScores = 64 << 20

// attend compiles a node of a self-attention, and reports whether it is one.
func (c *compiler) attend(n *graph.Node, in []value) bool {
	if len(n.Out) != 1 || n.Activation != nil {
		return false
	}
	if n.Op == "Attention" {
		return c.fused(n, in)
	}
	paired := func(v value) bool { return v.kind == pairwise }
	switch {
	case n.Op == "MatMul" && len(in) == 2 && !slices.ContainsFunc(in, paired):
		return c.pair(n, in)
	case !slices.ContainsFunc(in, paired):
		return false
	case n.Op == "MatMul" && len(in) == 2 && paired(in[0]) && !paired(in[1]):
		return c.weighted(n, in)
	}
	return c.weigh(n, in)
}

// fused compiles an Attention without a mask and earlier keys. Its queries, keys and values are
// (batch, head, place, width) or (batch, place, width of all heads).
func (c *compiler) fused(n *graph.Node, in []value) bool {
	rank := len(in[0].place.Shape)
	for i, v := range in {
		if i > 2 && (v.kind != constant || v.tensor != nil) ||
			i < 3 && (!c.places(v, 2) || len(v.place.Shape) != rank || rank < 3) {
			return false
		}
	}
	s := &attention{query: memberOf(in[0]), key: memberOf(in[1]), values: memberOf(in[2])}
	s.nodes = []pairNode{{n, []pairInput{{at: ofQuery}, {at: ofKey}, {at: ofValues}}}}
	s.out = c.newMembers(n.Out[0], rank-2)
	c.plan.steps = append(c.plan.steps, s)
	return true
}

// places reports whether a value has an axis of places, counted from the end, and is float32.
func (c *compiler) places(v value, fromEnd int) bool {
	rank := len(v.place.Shape)
	return (v.kind == perInstance || v.kind == perMember) && !v.place.Merged() && rank >= 2 &&
		v.place.Axis == rank-fromEnd && v.place.Type == tensor.Float32
}

// pair compiles the product of queries and keys.
func (c *compiler) pair(n *graph.Node, in []value) bool {
	if !c.places(in[0], 2) || !c.places(in[1], 1) {
		return false
	}
	id := n.Out[0]
	p := &pairs{query: in[0], key: in[1], product: n, id: id}
	shape := c.Place(id).Shape
	count, ok := tensor.Count(shape)
	if ok && in[0].kind == perInstance && in[1].kind == perInstance && count <= maxScores/4 {
		made, err := c.compute(n, tensors(in))
		if err != nil {
			return false
		}
		p.scores = made[0]
	}
	c.paired(id, p)
	return true
}

// paired makes a value of the graph a pairwise one.
func (c *compiler) paired(id int, p *pairs) {
	shape := c.Place(id).Shape
	c.values[id] = value{kind: pairwise, pairs: p, lead: c.plan.lead,
		place:  ops.Place{Class: ops.Instance, Axis: len(shape) - 2, Shape: shape},
		tensor: &tensor.Tensor{Type: c.Place(id).Type, Shape: shape}}
}

// weigh compiles a node that computes with scores or weights: one of single elements, which may
// also read a value of each key, such as a mask, or a Softmax over the keys.
func (c *compiler) weigh(n *graph.Node, in []value) bool {
	var x *value
	single := true
	for i, v := range in {
		switch {
		case v.kind == perInstance && c.ofKeys(v):
		case v.kind != pairwise:
			single = single && v.kind == constant && v.tensor != nil && v.tensor.Len() == 1
		case x == nil:
			x = &in[i]
		case x.pairs.product != v.pairs.product || x.pairs.id != v.pairs.id:
			return false
		}
	}
	shape := x.place.Shape
	switch n.Row.Kind {
	case ops.Elementwise, ops.PassThrough, ops.Broadcast:
	default:
		axis, _ := n.SoftmaxAxes()
		at, ok := tensor.Axis(axis, len(shape))
		if n.Op != "Softmax" || !ok || at != len(shape)-1 {
			return false
		}
	}
	id := n.Out[0]
	if !single || !slices.Equal(c.Place(id).Shape, shape) {
		return false
	}
	p := *x.pairs
	p.nodes = nil
	for _, v := range in {
		if v.kind != pairwise {
			continue
		}
		for _, m := range v.pairs.nodes {
			if !slices.Contains(p.nodes, m) {
				p.nodes = append(p.nodes, m)
			}
		}
	}
	// Scores that are scaled are those of the whole bag, too.
	if p.scores != nil && len(p.nodes) == 0 && len(in) <= 2 && n.Op != "Softmax" {
		t := tensors(in)
		for i, v := range in {
			if v.kind == pairwise {
				t[i] = p.scores
			}
		}
		if made, err := c.compute(n, t); err == nil && made[0].Type == tensor.Float32 {
			p.scores, p.id = made[0], id
			c.paired(id, &p)
			return true
		}
	}
	p.nodes = append(p.nodes, n)
	c.paired(id, &p)
	return true
}

// ofKeys reports whether a value is one number for each key, which is broadcast to all queries. It
// does not depend on the coalition.
func (c *compiler) ofKeys(v value) bool {
	rank := len(v.place.Shape)
	return c.places(v, 1) && v.place.Shape[rank-2] == 1
}

// weighted compiles the sum of values by their weights to the step.
func (c *compiler) weighted(n *graph.Node, in []value) bool {
	if !c.places(in[1], 2) || c.Place(n.Out[0]).Type != tensor.Float32 {
		return false
	}
	p := in[0].pairs
	s := &attention{query: memberOf(p.query), key: memberOf(p.key), values: memberOf(in[1]),
		scores: p.scores}
	at := map[int]int{} // (value) number in block.pairs
	if p.scores != nil {
		at[p.id] = ofKey
		if c.Machine.Outlive(4*s.scores.Len()) != nil {
			return false
		}
	} else {
		at[p.product.In[0]], at[p.product.In[1]] = ofQuery, ofKey
		s.nodes = append(s.nodes, pairNode{p.product, []pairInput{{at: ofQuery}, {at: ofKey}}})
		at[p.product.Out[0]] = ofNodes
	}
	for _, m := range p.nodes {
		of := pairNode{node: m}
		for _, id := range m.In {
			from, ok := at[id]
			switch v := c.value(id); {
			case v.kind == perInstance:
				s.beside = append(s.beside, memberOf(v))
				from = -len(s.beside)
			case !ok || v.kind != pairwise:
				of.in = append(of.in, pairInput{tensor: v.tensor})
				continue
			}
			of.in = append(of.in, pairInput{at: from})
		}
		at[m.Out[0]] = ofNodes + len(s.nodes)
		s.nodes = append(s.nodes, of)
	}
	s.nodes = append(s.nodes, pairNode{n, []pairInput{{at: at[n.In[0]]}, {at: ofValues}}})
	s.out = c.newMembers(n.Out[0], len(c.Place(n.Out[0]).Shape)-2)
	c.plan.steps = append(c.plan.steps, s)
	return true
}
