package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// transpositions replaces an Einsum that only reorders dimensions by a Transpose, where the number
// of dimensions is known. Other rules and kernels know a Transpose.
func transpositions(r *rewriter) {
	facts := newFacts(r.g)
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Op == "Einsum" && len(n.In) == 1 && facts.of[n.In[0]].Ranked {
			perm, ok := compute.EinsumOrder(n.Text("equation", ""), len(facts.of[n.In[0]].Shape))
			if ok {
				order := decode.Attribute{Name: "perm", Kind: decode.KindInts}
				for _, at := range perm {
					order.Ints = append(order.Ints, int64(at))
				}
				was := *n
				n.Op, n.Row = "Transpose", ops.Lookup("", "Transpose")
				n.Attributes = []decode.Attribute{order}
				if r.rebuild(n, was) {
					r.changes = append(r.changes, describe(&was)+" is "+describe(n))
				}
			}
		}
		facts.node(n)
	}
}
