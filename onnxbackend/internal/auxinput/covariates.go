package auxinput

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Covariate is an input that takes a few numbers of the whole bag. It stays an input of the graph
// because each bag may state other numbers.
type Covariate struct {
	Name    string
	Shape   []int     // the shape of one bag: open axes are a batch of one
	Default []float64 // a number for each element from the card, or nil if each bag must state them
}

// findCovariates takes the inputs that take covariates out of those beside the bag: the card states
// the role, or numbers of the whole bag. Errors are a *fault.Format for a role that an input of
// this type or size cannot have, and for another number of values than it has.
func (s *resolver) findCovariates(
	inputs []*decode.Value, card *signature.Card,
) (others []*decode.Value, err error) {
	for _, v := range inputs {
		c := card.Input(v.Name)
		role := c != nil && c.Role == signature.RoleCovariate
		if c == nil || !role && (c.Values == nil || !s.ofWholeBag(v)) {
			others = append(others, v)
			continue
		}
		shape := slices.Clone(v.Shape)
		batchOfOne(shape, -1)
		n, ok := tensor.Count(shape)
		_, _, whole := v.Type.Integer()
		if !ok || v.Shape == nil || n < 1 || n > signature.MostCovariate ||
			!whole && !v.Type.Float() {
			if !role {
				others = append(others, v)
				continue
			}
			return nil, fault.Formatf("model card", `key "inputs": input %q of %v and shape %s `+
				`takes no covariate, which is at most %d numbers`, v.Name, v.Type,
				signature.ShapeText(v), signature.MostCovariate)
		}
		found := Covariate{Name: v.Name, Shape: shape}
		if !role {
			if found.Default = signature.Filled(c.Values, n); found.Default == nil {
				return nil, fault.Formatf("model card",
					`key "inputs": input %q of shape %s does not take %d numbers`, v.Name,
					signature.ShapeText(v), len(c.Values))
			}
		}
		s.covariates = append(s.covariates, found)
	}
	for _, c := range s.covariates {
		if c.Default == nil {
			s.notes = append(s.notes, msg.Sprintf("Input %q takes a covariate, which each bag "+
				"states.", c.Name))
		}
	}
	return others, nil
}

// ofWholeBag reports whether no axis of an input follows the instances: it has no open axis but a
// first one, which is called a batch or like the batch of the bag, or has no name like that batch.
func (s *resolver) ofWholeBag(v *decode.Value) bool {
	for d, n := range v.Shape {
		if n >= 0 {
			continue
		}
		batch := s.axis > 0 && s.bag.Shape[0] < 0 && v.Names[0] == s.bag.Names[0]
		if d > 0 || !batch && !strings.Contains(strings.ToLower(v.Names[0]), "batch") {
			return false
		}
	}
	return true
}

// covariate returns the shape of an input that takes a covariate and values for a run of the graph:
// the default, or zeros. It returns nil if the input takes none.
func (s *resolver) covariate(name string) (shape []int, values []float64) {
	i := slices.IndexFunc(s.covariates, func(c Covariate) bool { return c.Name == name })
	if i < 0 {
		return nil, nil
	}
	c := s.covariates[i]
	if c.Default != nil {
		return c.Shape, c.Default
	}
	n, _ := tensor.Count(c.Shape)
	return c.Shape, make([]float64, n)
}
