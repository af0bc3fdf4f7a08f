package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
)

// identities drops nodes that return their input: readers read that input instead. A node that
// makes a graph output stays, since it costs nothing and keeps the output's name.
func identities(r *rewriter) {
	facts := newFacts(r.g)
	same := map[int]int{}
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
		if n.Out[0] >= 0 && !r.isPort[n.Out[0]] && isNoOp(n, facts) && r.firstAlone(n) {
			same[n.Out[0]] = n.In[0]
			r.drop(i, "%s", describe(n))
		}
	}
}

// firstAlone reports whether no output of a node but the first is read.
func (r *rewriter) firstAlone(n *graph.Node) bool {
	for _, id := range n.Out[1:] {
		if id >= 0 && r.uses[id] > 0 {
			return false
		}
	}
	return true
}

// isNoOp reports whether the first output of a node is its first input for every bag.
func isNoOp(n *graph.Node, f *facts) bool {
	return n.Row.NoOp != nil && n.Row.NoOp(&n.Node, f.inputs(n))
}
