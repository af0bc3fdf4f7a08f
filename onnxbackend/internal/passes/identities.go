package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// identities lets the readers of a node that hands on its input read that input. One that makes a graph output
// stays: it costs nothing and keeps the output's name.
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
		if n.Out[0] >= 0 && !r.isPort[n.Out[0]] && handsOn(n, facts) && r.firstAlone(n) {
			same[n.Out[0]] = n.In[0]
			r.drop(i, "%s", describe(n))
		}
	}
}

// firstAlone reports whether nobody reads an output of a node but the first.
func (r *rewriter) firstAlone(n *graph.Node) bool {
	for _, id := range n.Out[1:] {
		if id >= 0 && r.uses[id] > 0 {
			return false
		}
	}
	return true
}

// handsOn reports whether the first output of a node is its first input whatever the bag.
func handsOn(n *graph.Node, f *facts) bool {
	switch x := f.at(n.In, 0); n.Op {
	case "Identity":
		return true
	case "Dropout": // asking for training fails in a run, unless it is known not to
		return !given(n, 2) || f.g.Values[n.In[2]].Const != nil
	case "Cast":
		return x.typ != tensor.Undefined && x.typ == tensor.Type(n.Int("to", 0))
	case "Transpose":
		perm := n.Ints("perm")
		for i, p := range perm {
			if p != i {
				return false
			}
		}
		return perm != nil && x.ranked && len(x.shape) == len(perm)
	case "Flatten":
		return n.Int("axis", 1) == 1 && x.ranked && len(x.shape) == 2
	case "Reshape":
		return x.ranked && f.reshapesToItself(n, x.shape)
	}
	return false
}

// reshapesToItself reports whether a Reshape names each side of its input: as 0, as the number that it is
// known to be, or once as what is left.
func (f *facts) reshapesToItself(n *graph.Node, shape []int) bool {
	want := ints(f.g.Values[n.In[1]].Const)
	if want == nil || len(want) != len(shape) {
		return false
	}
	left := 0
	for i, d := range want {
		switch {
		case d == 0 && n.Int("allowzero", 0) == 0:
		case d == -1 && left == 0:
			left++
		case d > 0 && d == shape[i]:
		default:
			return false
		}
	}
	return true
}
