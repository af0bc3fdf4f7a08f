package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// identities drops nodes that return their input; their readers read that input instead. A node
// that computes a graph output stays: it costs almost nothing, and the output keeps its name.
func identities(r *rewriter) {
	facts := newFacts(r.g)
	same := map[int]int{} // output of a dropped node to its input
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		in := slices.Clone(n.In)
		for j, id := range in {
			if to, ok := same[id]; ok {
				in[j] = to
				r.uses[id]--
				r.uses[to]++
			}
		}
		n.In = in
		facts.node(n)
		if n.Out[0] >= 0 && !r.isPort[n.Out[0]] && isNoOp(n, facts) &&
			!slices.ContainsFunc(n.Out[1:], r.isRead) {
			same[n.Out[0]] = n.In[0]
			r.drop(i, describe(n))
		}
	}
}

// isRead reports whether an output of a node is read.
func (r *rewriter) isRead(id int) bool { return id >= 0 && r.uses[id] > 0 }

// isNoOp reports whether the first output of a node equals its first input for every bag, such as
// that of a Dropout or of a Reshape to the same shape.
func isNoOp(n *graph.Node, f *facts) bool {
	return n.Row.NoOp != nil && n.Row.NoOp(&n.Node, f.inputs(n))
}
