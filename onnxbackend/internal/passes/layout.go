package passes

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func transposeFact(f *facts, n *graph.Node) fact {
	x, perm := f.at(n.In, 0), n.Ints("perm")
	out := fact{x.typ, x.ranked, slices.Clone(x.shape)}
	if perm == nil {
		slices.Reverse(out.shape)
		return out
	}
	if len(perm) != len(x.shape) {
		return fact{typ: x.typ}
	}
	for i, p := range perm {
		if p < 0 || p >= len(x.shape) {
			return fact{typ: x.typ}
		}
		out.shape[i] = x.shape[p]
	}
	return out
}

func concatFact(f *facts, n *graph.Node) fact {
	x := f.at(n.In, 0)
	out := fact{x.typ, x.ranked, slices.Clone(x.shape)}
	axis, ok := tensor.Axis(n.Int("axis", 0), len(x.shape))
	if !x.ranked || !ok {
		return fact{typ: x.typ}
	}
	for i := range n.In[1:] {
		y := f.at(n.In, i+1)
		if len(y.shape) != len(out.shape) {
			return fact{typ: x.typ}
		}
		for d, side := range y.shape {
			switch {
			case d == axis && out.shape[d] != unknown && side != unknown:
				out.shape[d] += side
			case d == axis:
				out.shape[d] = unknown
			case out.shape[d] == unknown:
				out.shape[d] = side
			}
		}
	}
	return out
}

func gatherFact(f *facts, n *graph.Node) fact {
	x, at := f.at(n.In, 0), f.at(n.In, 1)
	axis, ok := tensor.Axis(n.Int("axis", 0), len(x.shape))
	if !x.ranked || !at.ranked || !ok {
		return fact{typ: x.typ}
	}
	return fact{x.typ, true, slices.Concat(x.shape[:axis], at.shape, x.shape[axis+1:])}
}

func unsqueezeFact(f *facts, n *graph.Node) fact {
	x := f.at(n.In, 0)
	axes := f.axes(n, 1)
	mark, ok := marked(axes, len(x.shape)+len(axes))
	if !x.ranked || !ok {
		return fact{typ: x.typ}
	}
	out, next := fact{typ: x.typ, ranked: true}, 0
	for _, added := range mark {
		if added {
			out.shape = append(out.shape, 1)
			continue
		}
		out.shape = append(out.shape, x.shape[next])
		next++
	}
	return out
}

// sliceFact knows the sides that are not cut.
func sliceFact(f *facts, n *graph.Node) fact {
	x, axes := f.at(n.In, 0), f.axes(n, 3)
	if !x.ranked || axes == nil {
		return fact{typ: x.typ}
	}
	out := fact{x.typ, true, slices.Clone(x.shape)}
	for _, a := range axes {
		i, ok := tensor.Axis(a, len(out.shape))
		if !ok {
			return fact{typ: x.typ}
		}
		out.shape[i] = unknown
	}
	return out
}

// axes returns the axes that a node names by an attribute, or by input i if that is a constant; nil when they
// are not known.
func (f *facts) axes(n *graph.Node, i int) []int {
	if given(n, i) {
		return ints(f.g.Values[n.In[i]].Const)
	}
	return n.Ints("axes")
}

// reshapeFact knows the sides that a constant names, and those copied from the input.
func reshapeFact(f *facts, n *graph.Node) fact {
	x, want := f.at(n.In, 0), ints(f.g.Values[n.In[1]].Const)
	out := fact{typ: x.typ, ranked: want != nil}
	for i, d := range want {
		switch {
		case d > 0:
		case d == 0 && n.Int("allowzero", 0) == 0 && i < len(x.shape):
			d = x.shape[i]
		default:
			d = unknown
		}
		out.shape = append(out.shape, d)
	}
	return out
}

func flattenFact(f *facts, n *graph.Node) fact {
	x := f.at(n.In, 0)
	out := fact{x.typ, true, []int{unknown, unknown}}
	if n.Int("axis", 1) != 1 || len(x.shape) == 0 {
		return out
	}
	if slices.Contains(x.shape[1:], unknown) {
		out.shape[0] = x.shape[0]
		return out
	}
	size, ok := tensor.Count(x.shape[1:])
	if ok {
		out.shape = []int{x.shape[0], size}
	}
	return out
}

// reduceFact drops or keeps the sides that are combined.
func reduceFact(f *facts, n *graph.Node) fact {
	x := f.at(n.In, 0)
	mark, ok := marked(f.axes(n, 1), len(x.shape))
	if !x.ranked || !ok {
		return fact{typ: x.typ}
	}
	out := fact{typ: x.typ, ranked: true}
	for i, d := range x.shape {
		switch {
		case !mark[i]:
			out.shape = append(out.shape, d)
		case n.Int("keepdims", 1) != 0:
			out.shape = append(out.shape, 1)
		}
	}
	return out
}

// marked tells which of rank dimensions are named by axes; it fails when none is or one does not exist.
func marked(axes []int, rank int) ([]bool, bool) {
	mark := make([]bool, rank)
	for _, a := range axes {
		i, ok := tensor.Axis(a, rank)
		if !ok || mark[i] {
			return nil, false
		}
		mark[i] = true
	}
	return mark, len(axes) > 0
}

// maxList bounds the lists of sizes that are read.
const maxList = 64

// ints returns the numbers of a constant list or scalar of int64, or nil.
func ints(t *tensor.Tensor) []int {
	if t == nil || t.Type != tensor.Int64 || t.Rank() > 1 || t.Len() > maxList {
		return nil
	}
	v := make([]int, t.Len())
	for i, x := range tensor.Of[int64](t) {
		v[i] = int(max(-1<<48, min(1<<48, x)))
	}
	return v
}
