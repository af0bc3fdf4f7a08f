package signature

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Form says which part of a bag's relations an input takes.
type Form int

// Forms of inputs.
const (
	NoRelation  Form = iota
	Matrix           // a value for each pair of instances, (..., k, k)
	EdgeEnds         // the instances that each edge joins, (2, edges)
	EdgeWeights      // the value of each edge, (edges)
)

// A Relation is an input that takes relations of the bag's instances.
type Relation struct {
	graph.Port
	Form Form
}

// Axis returns the axis of a Relation that has the instances, the first of two for a Matrix, or the
// edges.
func (r *Relation) Axis() int {
	switch {
	case r.Form == Matrix:
		return max(len(r.Shape)-2, 0)
	case r.Shape == nil:
		return int(EdgeWeights - r.Form) // (2, edges), or (edges)
	}
	for d := len(r.Shape) - 1; d > 0; d-- {
		if r.Shape[d] < 0 { // the last open axis; one before it is a batch of one bag
			return d
		}
	}
	return 0
}

// ShapeFor returns the shape of the input for k instances and some edges.
func (r *Relation) ShapeFor(k, edges int) []int {
	shape := make([]int, len(r.Shape))
	switch {
	case r.Shape != nil:
	case r.Form == EdgeWeights:
		shape = make([]int, 1)
	default:
		shape = make([]int, 2)
	}
	for d := range shape {
		shape[d] = 1 // a batch of one bag
	}
	axis := r.Axis()
	switch r.Form {
	case Matrix:
		shape[axis], shape[axis+1] = k, k
	case EdgeEnds:
		shape[axis] = edges
		shape[axis-1] = 2
	default:
		shape[axis] = edges
	}
	return shape
}

// Relations returns the inputs that take relations.
func (s *Signature) Relations() []Relation { return s.relations }

// RelationOf returns the input of an ID that takes relations, or nil.
func (f Fitted) RelationOf(id int) *Relation {
	i := slices.IndexFunc(f.s.relations, func(r Relation) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return &f.s.relations[i]
}

// Edges returns the number of edges among the instances, 0 if no input takes edges.
func (f Fitted) Edges() int {
	if f.relations == nil {
		return 0
	}
	return len(f.relations.Edges)
}

// BesideIDs is Signature.BesideIDs.
func (f Fitted) BesideIDs() []int { return f.s.BesideIDs() }

// relationsOf returns the relations of a bag in the form that the inputs take. The error is a
// *core.BagError if the bag has none and the card does not say how they are built, or if an input
// takes whole numbers and others would be cut.
func (s *Signature) relationsOf(bag *core.Bag) (*core.Relations, error) {
	r := bag.Relations
	if r == nil && s.card.Adjacency != nil {
		var err error
		if r, err = s.card.Adjacency.Relations(bag); err != nil {
			return nil, err
		}
	}
	if r == nil {
		in := &s.relations[0]
		return nil, bagError(bag, "input %q of shape %s takes a value for each pair of instances, "+
			"and the bag has none; give an adjacency matrix or a list of edges with the bag, "+
			"state in the model card how it is built from the places of patches, such as "+
			"\"adjacency\": \"grid8\", or what the input takes, such as \"inputs\": {%q: 1} for "+
			"a graph in which each pair is joined",
			in.Name, ShapeText(&in.Value), in.Name)
	}
	if in := s.wholeRelation(); in != nil {
		if v, ok := firstOutside(r, in.Type); ok {
			return nil, bagError(bag, "input %q takes relations of %v, and the bag has the value "+
				"%v; give whole numbers that this type holds, such as 1 for each pair that is "+
				"joined", in.Name, in.Type, v)
		}
	}
	edges := slices.ContainsFunc(s.relations, func(in Relation) bool { return in.Form != Matrix })
	if edges && r.Dense != nil {
		all := make([]int, bag.Len())
		for i := range all {
			all[i] = i
		}
		return &core.Relations{Edges: r.AppendEdges([]core.Edge{}, bag.Len(), all)}, nil
	}
	return r, nil
}

// wholeRelation returns an input that takes relations as whole numbers, or nil.
func (s *Signature) wholeRelation() *Relation {
	for i := range s.relations {
		if _, _, whole := s.relations[i].Type.Integer(); whole && s.relations[i].Form != EdgeEnds {
			return &s.relations[i]
		}
	}
	return nil
}

// firstOutside returns the first value of relations that a type of whole numbers does not hold, and
// false if it holds all.
func firstOutside(r *core.Relations, t tensor.Type) (float32, bool) {
	least, largest, _ := t.Integer()
	outside := func(v float32) bool {
		return float64(v) < least || float64(v) > largest || v != float32(math.Trunc(float64(v)))
	}
	if at := slices.IndexFunc(r.Dense, outside); at >= 0 {
		return r.Dense[at], true
	}
	at := slices.IndexFunc(r.Edges, func(e core.Edge) bool { return outside(e.Weight) })
	if at < 0 {
		return 0, false
	}
	return r.Edges[at].Weight, true
}

// ring returns relations for a random bag: each instance is joined with itself and its neighbours,
// by weights that sum to 1, or by 1 if an input takes whole numbers.
func (s *Signature) ring(n int) *core.Relations {
	weight := float32(1. / 3)
	if s.wholeRelation() != nil {
		weight = 1
	}
	r := &core.Relations{Edges: []core.Edge{}}
	for i := range n {
		for _, j := range []int{i + n - 1, i, i + 1} {
			r.Edges = append(r.Edges, core.Edge{From: int32(i), To: int32(j % n), Weight: weight})
		}
	}
	return r
}

// Give writes the bag, its relations and its covariates into the inputs of a runner that its
// program reads. Errors are those of Load.
func (f Fitted) Give(r *plan.Runner) error {
	if err := f.Load(r.Machine(), r.Slot(f.s.input.ID)); err != nil {
		return err
	}
	return f.GiveBeside(r)
}

// GiveBeside writes all but the instances, as Give does, with its errors.
func (f Fitted) GiveBeside(r *plan.Runner) error {
	f.giveCovariates(r)
	for i := range f.s.relations {
		in := &f.s.relations[i]
		// The ends of edges also say which weights a coalition has. A prefix has no relations.
		if r.Program().Reads(in.ID) == plan.ReadsNothing &&
			(in.Form != EdgeEnds || f.relations == nil) {
			continue
		}
		if err := f.loadRelation(r.Machine(), r.Slot(in.ID), in); err != nil {
			return err
		}
	}
	return nil
}

// loadRelation writes the part of the relations that an input takes, in the input's type.
func (f Fitted) loadRelation(mc *machine.Machine, dst *tensor.Tensor, in *Relation) error {
	if f.relations == nil {
		return msg.Errorf("input %q has no values; this is a defect of the engine", in.Name)
	}
	source, typ := tensor.Float32, in.Type.Runtime()
	if in.Form == EdgeEnds {
		source = tensor.Int64
	}
	t := dst
	if typ != source {
		t = &tensor.Tensor{} // values are converted from there
	}
	edges := f.relations.Edges
	if err := mc.Alloc(t, source, in.ShapeFor(f.Len(), len(edges))...); err != nil {
		return err
	}
	switch in.Form {
	case Matrix:
		f.relations.WriteMatrix(tensor.Of[float32](t), f.Len())
	case EdgeEnds:
		ends := tensor.Of[int64](t)
		for i, e := range edges {
			ends[i], ends[len(edges)+i] = int64(e.From), int64(e.To)
		}
	default:
		weights := tensor.Of[float32](t)
		for i, e := range edges {
			weights[i] = e.Weight
		}
	}
	if t == dst {
		return nil
	}
	defer mc.Release(t)
	return compute.Convert(mc, dst, t, typ)
}
