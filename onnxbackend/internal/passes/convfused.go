package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// fuseConv fuses each longest chain that begins with a Conv. All nodes of a chain can run in lanes
// (see kernel.LaneWidth), and each is the only reader of the one before it. A single Conv is a
// chain too. Between the nodes, values stay in lanes.
func fuseConv(r *rewriter) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if r.dropped[i] || !r.convolves(n) {
			continue
		}
		var links []compute.Link
		var nodes []int
		for next, at := n, i; next != nil && r.chains(next); next, at = r.only(at) {
			links, nodes = append(links, r.link(next)), append(nodes, at)
		}
		if r.g.Outlive(packedBytes(links)) != nil {
			continue
		}
		n.Chain = links
		if gap, broken := r.g.Build(n); gap != nil || broken != nil {
			n.Chain = nil
			continue
		}
		for _, at := range nodes[1:] {
			r.absorb(i, at)
		}
	}
}

// packedBytes returns the bytes of the weights that the layers of a chain pack for lanes.
func packedBytes(links []compute.Link) int {
	n := 0
	for _, l := range links {
		if l.Node.Op == "Conv" {
			n += 4 * l.In[1].Len()
		}
	}
	return n
}

// convolves reports whether a node is a Conv that a chain can compute: over planes, with constant
// weights.
func (r *rewriter) convolves(n *graph.Node) bool {
	w := r.constant(n, 1)
	return n.Op == "Conv" && w != nil && w.Rank() == 4 && n.Int("group", 1) > 0 &&
		(!given(n, 2) || r.constant(n, 2) != nil)
}

// chains reports whether a node can follow another in a chain.
func (r *rewriter) chains(n *graph.Node) bool {
	return r.convolves(n) || n.Op == "MaxPool" && len(n.Out) == 1 ||
		n.Fuse != nil && r.parametersKnown(n)
}

// parametersKnown reports whether all inputs of a node but the first one are omitted, or constants
// of one float32, such as the bounds of a Clip.
func (r *rewriter) parametersKnown(n *graph.Node) bool {
	for i := 1; i < len(n.In); i++ {
		if c := r.constant(n, i); given(n, i) && (c == nil || c.Len() != 1) {
			return false
		}
	}
	return true
}

// link returns a node as a part of a chain, with its constant inputs.
func (r *rewriter) link(n *graph.Node) compute.Link {
	node := n.Node.Node
	l := compute.Link{Name: n.Name, Node: &node, Func: n.Func,
		In: make([]*tensor.Tensor, len(n.In))}
	for j, id := range n.In {
		if id >= 0 && j > 0 {
			l.In[j] = r.g.Values[id].Const
		}
	}
	return l
}
