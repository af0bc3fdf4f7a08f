package passes

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// bias merges an Add of a constant into the MatMul by a constant matrix before it. The bias becomes
// a third input, which only nodes of this engine have.
func bias(r *rewriter) {
	facts := newFacts(r.g)
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		facts.node(n)
		if r.dropped[i] || n.Op != "MatMul" || len(n.In) != 2 {
			continue
		}
		w := r.constant(n, 1)
		add, at := r.only(i)
		if w == nil || w.Rank() != 2 || add == nil || add.Op != "Add" {
			continue
		}
		side := 0 // input of the Add with the constant
		if add.In[0] == n.Out[0] {
			side = 1
		}
		c := r.constant(add, side)
		if c == nil || !isBias(c, w.Shape[1], facts.at(n.Out, 0)) {
			continue
		}
		was := *n
		r.setInput(n, 2, add.In[side])
		if r.rebuild(n, was) {
			r.absorb(i, at)
		}
	}
}

// isBias reports whether c adds one number to each of a product's n columns. Broadcasting must not
// raise the product's rank.
func isBias(c *tensor.Tensor, n int, product ops.Fact) bool {
	rank := c.Rank()
	return c.Len() == n && rank > 0 && c.Shape[rank-1] == n &&
		(rank == 1 || product.Ranked && len(product.Shape) >= rank)
}
