package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sizes replaces sizes that are the same for every bag by constants: a Shape of known sizes, and a
// Gather of known elements of a Shape that is partly unknown. Nodes whose inputs all become
// constants are computed too.
func sizes(r *rewriter) {
	facts := newFacts(r.g)
	shapeOf := map[int][]int{} // elements of outputs of Shape, some of them unknown
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Out[0] < 0 {
			continue
		}
		facts.node(n)
		x := facts.at(n.In, 0)
		switch {
		case n.Op == "Shape" && x.Ranked && !n.Has("start") && !n.Has("end"):
			shapeOf[n.Out[0]] = x.Shape
			r.makeConstant(n, x.Shape, len(x.Shape))
		case n.Op == "Gather" && shapeOf[n.In[0]] != nil:
			if at := r.g.Values[n.In[1]].Const; ops.ShortList(at) != nil {
				r.makeConstant(n, picked(shapeOf[n.In[0]], ops.ShortList(at)), at.Shape...)
			}
		default:
			r.fold(n)
		}
		if r.known(n) {
			facts.constant(n.Out[0])
			r.drop(i, describe(n)+" is the same for every bag")
		}
	}
}

// picked returns the sizes at some indices, or nil if an index is out of range.
func picked(sides, at []int) []int {
	out := make([]int, len(at))
	for i, p := range at {
		p, ok := tensor.Axis(p, len(sides))
		if !ok {
			return nil
		}
		out[i] = sides[p]
	}
	return out
}

// makeConstant makes the output of a node a constant of sizes, if all are known and the limit
// allows it.
func (r *rewriter) makeConstant(n *graph.Node, sides []int, shape ...int) {
	if sides == nil || slices.Contains(sides, ops.Unknown) || !r.g.Reserve(8*len(sides)) {
		return
	}
	t := tensor.New(tensor.Int64, shape...)
	for i, d := range sides {
		tensor.Of[int64](t)[i] = int64(d)
	}
	r.g.Values[n.Out[0]].Const = t
}

// fold rebuilds a node if one of its inputs has become a constant, and computes it if all have.
func (r *rewriter) fold(n *graph.Node) {
	changed := false
	for j, id := range n.In {
		changed = changed || id >= 0 && r.g.Values[id].Const != nil && n.Const[j] == nil
	}
	if changed && r.rebuild(n, *n) {
		r.g.Fold(n)
	}
}
