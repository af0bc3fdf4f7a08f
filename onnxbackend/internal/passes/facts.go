package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// facts infers types and shapes from the graph's inputs and constants through its nodes, by the
// fact rules of the operator table.
type facts struct {
	g  *graph.Graph
	of []ops.Fact // (value)
}

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

// constant sets the fact of a value that is a constant.
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

// at returns the fact of the i-th of some values.
func (f *facts) at(ids []int, i int) ops.Fact {
	if i < len(ids) && ids[i] >= 0 {
		return f.of[ids[i]]
	}
	return ops.Fact{}
}

// maxRank bounds the dimensions that are followed.
const maxRank = 8

// node infers the first output of a node from its inputs.
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
