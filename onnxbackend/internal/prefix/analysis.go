package prefix

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An Analysis watches a run of the whole graph and marks every value: constant, per instance along
// an axis, or of the whole bag. Values of the first two kinds that a node of the third kind reads
// are the boundary of the prefix: the run keeps them, and a coalition gathers its instances from
// them.
type Analysis struct {
	Places []ops.Place // (value) how it depends on the instances, and its type and shape

	g        *graph.Graph
	k        int            // number of instances
	boundary []plan.Reading // (value) what of it the rest of the graph reads
	apart    map[int]bool   // values whose axis of instances must not be merged with others
}

// NewAnalysis returns an analysis of the run of a bag.
func (e *Encoder) NewAnalysis(bag signature.Fitted) *Analysis {
	g, input := e.Graph, e.Signature.Input()
	a := &Analysis{
		g: g, k: bag.Len(),
		Places: make([]ops.Place, len(g.Values)), boundary: make([]plan.Reading, len(g.Values)),
		apart: e.merges.known(),
	}
	for id, v := range g.Values {
		if v.Const != nil {
			a.Places[id] = ops.Place{
				Class: ops.Constant, Shape: v.Const.Shape, Type: v.Const.Type, Value: v.Const,
			}
		}
	}
	a.Places[input.ID] = ops.Place{
		Class: ops.Instance, Axis: bag.Axis, Shape: bag.Shape, Type: input.Type.Runtime(),
	}
	for _, r := range e.Signature.Relations() {
		// A relation of two instances is no value of either: what depends on it is in the suffix.
		a.Places[r.ID] = ops.Place{Class: ops.Whole, Shape: r.ShapeFor(bag.Len(), bag.Edges()),
			Type: r.Type.Runtime()}
	}
	for i, c := range e.Signature.Covariates() {
		t := bag.Covariate(i)
		a.Places[c.ID] = ops.Place{Class: ops.Constant, Shape: t.Shape, Type: t.Type, Value: t}
	}
	return a
}

// Instances returns the number of instances of the bag.
func (a *Analysis) Instances() int { return a.k }

// KeepValue makes a value part of the boundary, whoever reads it.
func (a *Analysis) KeepValue(id int) { a.boundary[id] = plan.ReadsAll }

// copy returns an analysis that continues independently.
func (a *Analysis) copy() *Analysis {
	return &Analysis{slices.Clone(a.Places), a.g, a.k, slices.Clone(a.boundary), a.apart}
}

// After implements plan.Observer. It places the outputs of a step by the rule of the node's row,
// and adds to the boundary what a step that mixes instances reads. Whole is the safe answer: a
// value that is wrongly placed as Whole costs time, and one wrongly placed as Instance gives wrong
// scores.
func (a *Analysis) After(s *plan.Step, _, made []*tensor.Tensor) {
	n := s.Node
	in, out := make([]ops.Place, len(n.In)), make([]ops.Place, len(n.Out))
	constant := true
	for i, id := range n.In {
		in[i].Class = ops.Constant
		if id >= 0 {
			in[i] = a.Places[id]
		}
		constant = constant && in[i].Class == ops.Constant
	}
	for i, t := range made {
		out[i].Shape, out[i].Type = slices.Clone(t.Shape), t.Type
		if constant {
			out[i].Class = ops.Constant
		}
	}
	if !constant { // else the outputs are the same for every bag, whatever the operator
		n.Row.Axes.Apply(&n.Node, a.k, in, out)
	}
	rememberSizes(out, made)
	whole := false
	for i, id := range n.Out {
		if id >= 0 {
			if out[i].Merged() && a.apart[id] {
				out[i].Class = ops.Whole
			}
			a.Places[id] = out[i]
			whole = whole || out[i].Class == ops.Whole
		}
	}
	if whole {
		a.bound(n)
	}
}

// bound makes what a node reads of single instances, and of constants, part of the boundary. A
// merged axis is not: see conflicts.
func (a *Analysis) bound(n *graph.Node) {
	reads := plan.ReadsAll
	if n.Row.Kind == ops.ReadShape {
		reads = plan.ReadsShape
	}
	for _, id := range n.In {
		if id < 0 || a.g.Values[id].Const != nil {
			continue
		}
		if p := a.Places[id]; p.Class != ops.Whole && !p.Merged() {
			a.boundary[id] = max(a.boundary[id], reads)
		}
	}
}

// rememberSizes marks lists of sizes as constants if the number of instances is not among them, and
// remembers short constants that a run has computed, because later nodes may use them as axes or
// sizes.
func rememberSizes(out []ops.Place, made []*tensor.Tensor) {
	for i, p := range out {
		if p.Class == ops.Whole && p.Sizes != nil && !ops.CountsBag(p.Sizes) {
			out[i].Class = ops.Constant
		}
		if out[i].Class == ops.Constant && made[i].Len() <= maxSizes {
			out[i].Value = made[i].Clone()
		}
	}
}

// maxSizes is the length of the longest list that is remembered.
const maxSizes = 64

// Keep implements plan.Observer: it keeps the elements that the rest of the graph reads.
func (a *Analysis) Keep(id int) bool { return a.boundary[id] == plan.ReadsAll }

// where returns the IDs of the values that satisfy a condition, in their order.
func (a *Analysis) where(condition func(id int, p ops.Place) bool) []int {
	var ids []int
	for id, p := range a.Places {
		if condition(id, p) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Boundary returns the IDs of the boundary values.
func (a *Analysis) Boundary() []int {
	return a.where(func(id int, _ ops.Place) bool { return a.boundary[id] != plan.ReadsNothing })
}

// encoded returns the IDs of the values that blocks of instances are encoded to: the boundary, and
// outputs that treat instances alone. The input is not among them, because it is not computed.
func (a *Analysis) encoded(input int) []int {
	outputs := graph.IDs(a.g.Outputs)
	return a.where(func(id int, p ops.Place) bool {
		return p.Class == ops.Instance && id != input &&
			(a.boundary[id] == plan.ReadsAll || slices.Contains(outputs, id))
	})
}

// shapes returns the IDs of the values of single instances of which the rest of the graph reads the
// shape alone.
func (a *Analysis) shapes(encoded []int) []int {
	return a.where(func(id int, p ops.Place) bool {
		return p.Class == ops.Instance && a.boundary[id] == plan.ReadsShape &&
			!slices.Contains(encoded, id)
	})
}

// fixed returns the IDs of the constants at the boundary that a run computes from sizes.
func (a *Analysis) fixed() []int {
	return a.where(func(id int, p ops.Place) bool {
		return p.Class == ops.Constant && a.boundary[id] != plan.ReadsNothing &&
			a.g.Values[id].Const == nil
	})
}

// adopt copies what the analysis of the first block found about the values of the prefix, with the
// whole bag's number of instances. read has the IDs of the values that the rest of the graph reads.
func (a *Analysis) adopt(block *Analysis, read []int) {
	for id, p := range block.Places {
		if a.Places[id].Shape != nil {
			continue
		}
		if p.Class == ops.Instance {
			p.Shape = slices.Clone(p.Shape)
			outer, inner := p.Factors()
			p.Shape[p.Axis] = outer * a.k * inner
		}
		a.Places[id] = p
	}
	for _, id := range read {
		a.boundary[id] = max(a.boundary[id], block.boundary[id])
	}
}
