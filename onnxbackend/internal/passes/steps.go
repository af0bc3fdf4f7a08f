package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// steps finds nodes that together are a LayerNormalization over the last axis or a Gelu. The node that ends them takes their
// place, so that all that it reads has been made.
func steps(r *rewriter) {
	s := stepFinder{r, map[int]int{}}
	facts := newFacts(r.g)
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		facts.node(n)
		for _, id := range n.Out {
			s.made[id] = i
		}
		var found *match
		switch n.Op {
		case "Add":
			found = s.normalization(n, facts)
		case "Mul":
			found = s.gelu(n)
		}
		if found == nil || facts.at(found.in, 0).typ != tensor.Float32 {
			continue
		}
		was := *n
		n.Node = ops.Node{Op: found.op, Opset: n.Opset, Inputs: len(found.in), Outputs: 1, Steps: &ops.Steps{Constant: found.constant}}
		n.Row, n.In = ops.Lookup("", found.op), found.in
		if !r.rebuild(n, was) {
			continue
		}
		for _, at := range found.nodes {
			r.drop(at, "%s into %s", describe(&r.g.Nodes[at]), describe(n))
		}
		for _, id := range was.In {
			r.uses[id]--
		}
		for _, id := range found.in {
			r.uses[id]++
		}
	}
}

// A match is nodes that one can stand for, besides the last of them.
type match struct {
	op       string
	in       []int
	constant float32
	nodes    []int
}

type stepFinder struct {
	*rewriter
	made map[int]int // the node that makes a value
}

// maker returns the node that makes input i of n for so many reads and for nobody else, or nil.
func (s stepFinder) maker(m *match, n *graph.Node, i int, op string, reads int) *graph.Node {
	if n == nil || i >= len(n.In) {
		return nil
	}
	at, ok := s.made[n.In[i]]
	if !ok || s.dropped[at] || s.g.Nodes[at].Op != op || len(s.g.Nodes[at].Out) != 1 || s.uses[n.In[i]] != reads || s.isPort[n.In[i]] {
		return nil
	}
	if !slices.Contains(m.nodes, at) {
		m.nodes = append(m.nodes, at)
	}
	return &s.g.Nodes[at]
}

// side returns which of the two inputs of a node is a constant: one number with rank 0, a list of several with rank 1. It is -1
// for none.
func (s stepFinder) side(n *graph.Node, rank int) int {
	if n == nil || len(n.In) != 2 {
		return -1
	}
	for i := range 2 {
		if c := s.constant(n, i); c != nil && c.Rank() == rank && (rank == 0 || c.Len() > 1) {
			return i
		}
	}
	return -1
}

// scalar returns the constant of one element among two inputs and the place of the other.
func (s stepFinder) scalar(n *graph.Node) (v float32, other int) {
	i := s.side(n, 0)
	if i < 0 {
		return 0, -1
	}
	return tensor.Of[float32](s.constant(n, i))[0], 1 - i
}

// normalization matches (x - mean(x)) / sqrt(mean((x - mean(x))²) + c) · w + b, which ends in n.
func (s stepFinder) normalization(n *graph.Node, f *facts) *match {
	m := &match{op: "LayerNormalization"}
	b := s.side(n, 1)
	if b < 0 {
		return nil
	}
	scaled := s.maker(m, n, 1-b, "Mul", 1)
	w := s.side(scaled, 1)
	if w < 0 || s.constant(scaled, w).Len() != s.constant(n, b).Len() {
		return nil
	}
	divided := s.maker(m, scaled, 1-w, "Div", 1)
	plus := s.maker(m, s.maker(m, divided, 1, "Sqrt", 1), 0, "Add", 1)
	c, other := s.scalar(plus)
	if other < 0 {
		return nil
	}
	variance := s.maker(m, plus, other, "ReduceMean", 1)
	power := s.maker(m, variance, 0, "Pow", 1)
	centred := s.maker(m, power, 0, "Sub", 2)
	mean := s.maker(m, centred, 1, "ReduceMean", 1)
	if mean == nil || divided.In[0] != power.In[0] || mean.In[0] != centred.In[0] || !s.overLast(variance) || !s.overLast(mean) {
		return nil
	}
	if e := s.constant(power, 1); e == nil || e.Rank() != 0 || tensor.Of[float32](e)[0] != 2 {
		return nil
	}
	m.in, m.constant = []int{mean.In[0], scaled.In[w], n.In[b]}, c
	if x := f.at(m.in, 0); x.ranked && (len(x.shape) == 0 || x.shape[len(x.shape)-1] != unknown && x.shape[len(x.shape)-1] != s.constant(n, b).Len()) {
		return nil
	}
	return m
}

// overLast reports whether a reduction is over the last axis and keeps it.
func (s stepFinder) overLast(n *graph.Node) bool {
	axes := n.Ints("axes")
	if len(n.In) > 1 && n.In[1] >= 0 {
		axes = ints(s.g.Values[n.In[1]].Const)
	}
	return len(axes) == 1 && axes[0] == -1 && n.Int("keepdims", 1) != 0
}

// gelu matches x · (erf(x / c) + 1) · ½, which ends in n.
func (s stepFinder) gelu(n *graph.Node) *match {
	m := &match{op: "Gelu"}
	half, other := s.scalar(n)
	if other < 0 || half != 0.5 {
		return nil
	}
	product := s.maker(m, n, other, "Mul", 1)
	before := len(m.nodes)
	for i := range 2 {
		m.nodes = m.nodes[:before] // what was tried on the other side
		plus := s.maker(m, product, i, "Add", 1)
		one, at := s.scalar(plus)
		if at < 0 || one != 1 {
			continue
		}
		divided := s.maker(m, s.maker(m, plus, at, "Erf", 1), 0, "Div", 1)
		if c, x := s.scalar(divided); x == 0 && divided.In[0] == product.In[1-i] {
			m.in, m.constant = []int{divided.In[0]}, c
			return m
		}
	}
	return nil
}
