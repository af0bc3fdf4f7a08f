package onnxbackend

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// analysis watches the one run of the whole bag and marks every value: constant, per instance along
// an axis, or of the bag. Values that a node of the bag reads and that are not of the bag themselves
// are the boundary of the cut: they are kept, and a coalition gathers its instances from them.
type analysis struct {
	g        *graph.Graph
	k        int
	places   []ops.Place
	boundary []bool
}

func newAnalysis(g *graph.Graph, k int, input graph.Port, at signature.Layout) *analysis {
	a := &analysis{g: g, k: k, places: make([]ops.Place, len(g.Values)), boundary: make([]bool, len(g.Values))}
	for id, v := range g.Values {
		if v.Const != nil {
			a.places[id] = ops.Place{Class: ops.Constant, Shape: v.Const.Shape, Type: v.Const.Type, Value: v.Const}
		}
	}
	a.places[input.ID] = ops.Place{Class: ops.Instance, Axis: at.Axis, Shape: at.Shape, Type: input.Type.Runtime()}
	return a
}

// copy returns an analysis that goes on by itself.
func (a *analysis) copy() *analysis {
	return &analysis{a.g, a.k, slices.Clone(a.places), slices.Clone(a.boundary)}
}

// After implements plan.Observer.
func (a *analysis) After(s *plan.Step, _, made []*tensor.Tensor) {
	n := s.Node
	in, out := make([]ops.Place, len(n.In)), make([]ops.Place, len(n.Out))
	constant := true
	for i, id := range n.In {
		in[i].Class = ops.Constant
		if id >= 0 {
			in[i] = a.places[id]
		}
		constant = constant && in[i].Class == ops.Constant
	}
	for i, t := range made {
		out[i].Shape, out[i].Type = slices.Clone(t.Shape), t.Type
		if constant {
			out[i].Class = ops.Constant
		}
	}
	if !constant {
		n.Row.Axes(&n.Node, a.k, in, out)
	}
	settle(out, made)
	whole := false
	for i, id := range n.Out {
		if id >= 0 {
			a.places[id] = out[i]
			whole = whole || out[i].Class == ops.Whole
		}
	}
	for _, id := range n.In {
		if whole && id >= 0 && a.places[id].Class != ops.Whole && a.g.Values[id].Const == nil {
			a.boundary[id] = true
		}
	}
}

// settle makes lists of sizes constants where the number of instances is none of them, and remembers short constants that a
// run has made: axes and sizes may be such.
func settle(out []ops.Place, made []*tensor.Tensor) {
	for i, p := range out {
		if p.Class == ops.Whole && p.Sizes != nil && !slices.Contains(p.Sizes, ops.SizeBag) {
			out[i].Class = ops.Constant
		}
		if out[i].Class == ops.Constant && made[i].Len() <= maxSizes {
			out[i].Value = made[i].Clone()
		}
	}
}

// maxSizes is how long a list of sizes is remembered.
const maxSizes = 64

// Keep implements plan.Observer.
func (a *analysis) Keep(id int) bool { return a.boundary[id] }

// cut returns the boundary.
func (a *analysis) cut() []int {
	var ids []int
	for id, b := range a.boundary {
		if b {
			ids = append(ids, id)
		}
	}
	return ids
}
