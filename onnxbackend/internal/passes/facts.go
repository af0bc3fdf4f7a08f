package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// facts infers types and shapes of values from the graph's inputs and constants, by the fact rules
// of the operator table. Symbolic dimensions stay unknown.
type facts struct {
	g  *graph.Graph
	of []ops.Fact // (value)
}

// newFacts returns the facts of constants and graph inputs. A pass calls node for each node in
// order.
func newFacts(g *graph.Graph) *facts {
	f := &facts{g, make([]ops.Fact, len(g.Values))}
	for id := range g.Values {
		f.constant(id)
	}
	for _, p := range g.Inputs {
		x := ops.Fact{Type: p.Type.Runtime()}
		if p.Shape != nil {
			x.Ranked = true
			for _, d := range p.Shape {
				x.Shape = append(x.Shape, max(d, ops.Unknown))
			}
		}
		f.of[p.ID] = x
	}
	return f
}

// constant sets the fact of a value if it is a constant.
func (f *facts) constant(id int) {
	if c := f.g.Values[id].Const; c != nil {
		f.of[id] = ops.Fact{Type: c.Type, Ranked: true, Shape: c.Shape, Value: c}
	}
}

// inputs returns the facts of a node's inputs.
func (f *facts) inputs(n *graph.Node) []ops.Fact {
	in := make([]ops.Fact, len(n.In))
	for i, id := range n.In {
		in[i].Omitted = true
		if id >= 0 {
			in[i] = f.of[id]
		}
	}
	return in
}

// at returns the fact of ids[i], or one without information if the node does not have this value.
func (f *facts) at(ids []int, i int) ops.Fact {
	if i < len(ids) && ids[i] >= 0 {
		return f.of[ids[i]]
	}
	return ops.Fact{}
}

// maxRank bounds the rank of known shapes: a file could make shapes that grow from node to node.
const maxRank = 8

// node infers the fact of a node's first output from those of its inputs.
func (f *facts) node(n *graph.Node) {
	if n.Out[0] < 0 || f.g.Values[n.Out[0]].Const != nil || n.Row.Fact == nil {
		return
	}
	out := n.Row.Fact(&n.Node, f.inputs(n))
	if len(out.Shape) > maxRank {
		out.Ranked, out.Shape = false, nil
	}
	f.of[n.Out[0]] = out
}

// CheckAxes returns a *fault.Format for the first node with an axis that its first input does not
// have, as far as ranks follow from those of the graph's inputs. Graphs inside of nodes are not
// followed: runs find their faults.
func CheckAxes(g *graph.Graph) error {
	f := newFacts(g)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if len(n.In) > 0 && n.In[0] >= 0 && f.of[n.In[0]].Ranked {
			if err := n.Row.CheckAxes(&n.Node, len(f.of[n.In[0]].Shape)); err != nil {
				return fault.Formatf(n.What(), "%v", err)
			}
		}
		f.node(n)
	}
	return nil
}
