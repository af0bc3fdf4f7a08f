package passes

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// gates replaces the nodes that exporters write for x times a gate of x by one activation, which a
// layer can apply:
//
//	x·Sigmoid(x)             Swish
//	x·(Erf(x/√2) + 1)·1/2    Gelu, in any order of the factors
//
// Both activations have the steps of these nodes, so that all bits stay.
func gates(r *rewriter) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		switch {
		case r.dropped[i]:
		case n.Op == "Sigmoid":
			r.swish(i)
		case n.Op == "Erf":
			r.gelu(i)
		}
	}
}

// swish replaces the Sigmoid at i and the product with its argument after it by a Swish.
func (r *rewriter) swish(i int) {
	n := &r.g.Nodes[i]
	x := n.In[0]
	mul, at := r.only(i)
	if mul == nil || mul.Op != "Mul" || other(mul, n.Out[0]) != x {
		return
	}
	if r.become(n, "Swish", x) {
		r.absorb(i, at)
	}
}

// other returns the operand of a node of two operands that is not the given value, or -1.
func other(n *graph.Node, id int) int {
	switch {
	case len(n.In) != 2:
	case n.In[0] == id && n.In[1] != id:
		return n.In[1]
	case n.In[1] == id && n.In[0] != id:
		return n.In[0]
	}
	return -1
}

// become makes a node the activation of x. It reports false, and leaves the node, if that fails.
func (r *rewriter) become(n *graph.Node, op string, x int) bool {
	was := *n
	n.Op, n.Row, n.Attributes, n.In = op, ops.Lookup("", op), nil, []int{x}
	return r.rebuild(n, was)
}

// gelu replaces the Erf at i and the nodes around it by a Gelu.
func (r *rewriter) gelu(i int) {
	n := &r.g.Nodes[i]
	scale := r.producer(n.In[0])
	sum, sumAt := r.only(i)
	if scale < 0 || sum == nil || sum.Op != "Add" || !r.isScalar(other(sum, n.Out[0]), 1) {
		return
	}
	x := r.scaled(scale, "Div", math.Sqrt2)
	first, firstAt := r.only(sumAt)
	if x < 0 || first == nil || first.Op != "Mul" {
		return
	}
	dropped := []int{scale, sumAt}
	switch factor := other(first, sum.Out[0]); {
	case factor == x || r.isScalar(factor, 0.5):
		// The other one of x and 1/2 follows.
		last, at := r.only(firstAt)
		if last == nil || last.Op != "Mul" {
			return
		}
		rest := other(last, first.Out[0])
		if factor == x && !r.isScalar(rest, 0.5) || factor != x && rest != x {
			return
		}
		dropped = append(dropped, firstAt)
		firstAt = at
	case r.producer(factor) >= 0 && r.scaled(r.producer(factor), "Mul", 0.5) == x:
		dropped = append(dropped, r.producer(factor))
	default:
		return
	}
	before := n.In[0]
	if !r.become(n, "Gelu", x) {
		return
	}
	r.uses[x]++
	r.uses[before]--
	for _, at := range dropped {
		r.drop(at, describe(&r.g.Nodes[at])+" into "+describe(n))
	}
	r.absorb(i, firstAt)
}

// producer returns the node that computes a value for a single reader, or -1.
func (r *rewriter) producer(id int) int {
	if id < 0 || id >= len(r.uses) || r.uses[id] != 1 || r.isPort[id] {
		return -1
	}
	at := r.g.Values[id].Producer
	if at < 0 || r.dropped[at] || len(r.g.Nodes[at].Out) != 1 || r.g.Nodes[at].Out[0] != id {
		return -1
	}
	return at
}

// scaled returns the value that a node multiplies by a constant or divides by it, or -1 if the node
// does something else.
func (r *rewriter) scaled(at int, op string, by float32) int {
	n := &r.g.Nodes[at]
	if n.Op != op || len(n.In) != 2 {
		return -1
	}
	if r.isScalar(n.In[1], by) {
		return n.In[0]
	}
	if op == "Mul" && r.isScalar(n.In[0], by) {
		return n.In[1]
	}
	return -1
}

// isScalar reports whether a value is a constant float32 without dimensions, and as large as given.
func (r *rewriter) isScalar(id int, value float32) bool {
	if id < 0 {
		return false
	}
	c := r.g.Values[id].Const
	return c != nil && c.Type == tensor.Float32 && c.Rank() == 0 &&
		tensor.Of[float32](c)[0] == value
}
