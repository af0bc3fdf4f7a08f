package passes

import "github.com/bagscope/bagscope/onnxbackend/internal/graph"

// activation fuses an activation into the layer with constant weights before it. The kernel applies
// it while the result is in registers or in the cache.
func activation(r *rewriter) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if r.dropped[i] || !r.isLayer(n) || n.Activation != nil {
			continue
		}
		act, at := r.only(i)
		if act == nil || act.Fuse == nil || len(act.In) != 1 {
			continue
		}
		was := *n
		function := act.Node.Node
		n.Activation = &function
		if r.rebuild(n, was) {
			r.absorb(i, at)
		}
	}
}

// isLayer reports whether a node is a Conv with constant weights, or a product with a constant
// matrix on the right. Other products may pool the instances, and a pooling node must stay by
// itself.
func (r *rewriter) isLayer(n *graph.Node) bool {
	w := r.constant(n, 1)
	switch n.Op {
	case "Conv":
		return w != nil
	case "Gemm", "MatMul":
		return w != nil && w.Rank() == 2
	}
	return false
}
