package signature

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// MostCovariate is the number of values that a covariate has at most.
const MostCovariate = 4096

// A Covariate is an input beside the instances whose values each bag may state, such as the age of
// a patient. No length of its shape is open.
type Covariate struct {
	graph.Port
	// Default has a value for each element, or is nil if each bag must state them.
	Default []float64
}

// Size returns the number of elements.
func (c *Covariate) Size() int {
	n, _ := tensor.Count(c.Shape)
	return n
}

// Filled returns a value for each element of n, of as many values or of one for all. It returns
// nil for another number.
func Filled(values []float64, n int) []float64 {
	switch len(values) {
	case n:
		return values
	case 1:
		return slices.Repeat(values, n)
	}
	return nil
}

// Covariates returns the inputs that take covariates.
func (s *Signature) Covariates() []Covariate { return s.covariates }

// BesideIDs returns the IDs of the inputs beside the instances.
func (s *Signature) BesideIDs() []int {
	var ids []int
	for _, r := range s.relations {
		ids = append(ids, r.ID)
	}
	for _, c := range s.covariates {
		ids = append(ids, c.ID)
	}
	return ids
}

// Covariate returns the values of covariate number i, in the type of the input.
func (f Fitted) Covariate(i int) *tensor.Tensor { return f.covariates[i] }

// covariatesOf returns the values of all covariates for a bag. The error is a *core.CovariateError
// for one that the bag must state and does not, and a *core.BagError for another number of values,
// for values that the input cannot hold, and for a covariate that the model does not take.
func (s *Signature) covariatesOf(bag *core.Bag) ([]*tensor.Tensor, error) {
	for _, c := range bag.Covariates {
		taken := func(in Covariate) bool { return in.Name == c.Name }
		if !slices.ContainsFunc(s.covariates, taken) {
			return nil, bagError(bag, "the model takes no covariate %q, but %s", c.Name,
				s.covariateNames())
		}
	}
	var list []*tensor.Tensor
	for i := range s.covariates {
		in := &s.covariates[i]
		stated := bag.Covariate(in.Name)
		if stated == nil {
			stated = in.Default
		}
		if stated == nil {
			return nil, &core.CovariateError{Covariate: in.Name, BagError: bagError(bag,
				"input %q takes a covariate, such as an age, which the bag does not state; state "+
					"it as one of the inputs of the bag, such as %s=0, in the bag's file under "+
					"this name, or for all bags in the model card, such as \"inputs\": {%q: 0}",
				in.Name, in.Name, in.Name)}
		}
		values := Filled(stated, in.Size())
		if values == nil {
			return nil, bagError(bag, "input %q of shape %s takes %d values, and the bag states %d",
				in.Name, ShapeText(&in.Value), in.Size(), len(stated))
		}
		least, most, whole := in.Type.Integer()
		for _, v := range values {
			if whole && (v < least || v > most || !isWhole(v)) {
				return nil, bagError(bag, "input %q is of %v, which does not hold the value %v of "+
					"the bag", in.Name, in.Type, v)
			}
		}
		t, err := s.covariate(in, values)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// covariateNames returns what the model takes beside the instances, for messages.
func (s *Signature) covariateNames() string {
	var names []string
	for _, c := range s.covariates {
		names = append(names, msg.Quoted(c.Name))
	}
	if names == nil {
		return "none at all"
	}
	return strings.Join(names, ", ")
}

// covariate returns values in the type of an input.
func (s *Signature) covariate(in *Covariate, values []float64) (*tensor.Tensor, error) {
	limits := s.limits
	limits.Memory = nil // they are few
	m, out := machine.New(limits), &tensor.Tensor{}
	given := tensor.From(tensor.Float64, values, in.Shape...)
	if err := compute.Convert(m, out, given, in.Type.Runtime()); err != nil {
		return nil, err
	}
	return out.Clone(), nil
}

// usualCovariates returns values of all covariates for a random bag: the defaults, else zeros.
func (s *Signature) usualCovariates() []*tensor.Tensor {
	var list []*tensor.Tensor
	for i := range s.covariates {
		in := &s.covariates[i]
		values := in.Default
		if values == nil {
			values = make([]float64, in.Size())
		}
		t, err := s.covariate(in, values)
		if err != nil {
			return nil
		}
		list = append(list, t)
	}
	return list
}

// giveCovariates gives a runner the covariates that its program reads.
func (f Fitted) giveCovariates(r *plan.Runner) {
	for i, t := range f.covariates {
		if id := f.s.covariates[i].ID; r.Program().Reads(id) != plan.ReadsNothing {
			r.Give(id, t)
		}
	}
}
