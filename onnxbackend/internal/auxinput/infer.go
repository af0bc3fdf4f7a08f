/*
Package auxinput fills in the inputs that a model takes beside the bag: masks, counts and constants.

A model may take a mask over the instances, their number, or several arrays that each hold a part of
every instance. What such an auxiliary input takes depends on the bag alone. Resolve finds it and
writes it into the graph as nodes that read the bag. The axis analysis then follows these values
like all others, and each coalition has a mask of its own size.
*/
package auxinput

import (
	"errors"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Result says what Resolve found.
type Result struct {
	Axis  *int     // axis of the instances in the remaining input, nil if the model had only one
	Notes []string // what was decided, in sentences
	// Relations has the inputs that take relations of instances, by their names. They and those of
	// covariates are the only ones beside the bag that remain.
	Relations  map[string]signature.Form
	Covariates []Covariate
	// Joined is set if several inputs hold a part of every instance. The remaining input then has
	// rows of instances, whatever axis the card states for the parts.
	Joined bool
	// Places says which values of an instance are its coordinates, or is nil.
	Places *core.PlaceValues
}

// An auxiliary is an input beside the bag.
type auxiliary struct {
	*decode.Value
	like  []int  // (dimension) the open axis of the bag with its length, -1 if the file declares it
	fills []fill // candidates for what it takes
}

// A fill is what an auxiliary input takes: the number of instances, the card's values, the number
// of the bag in its batch, or else a mask.
type fill struct {
	count     bool      // it takes the number of instances
	exact     bool      // the graph fails on another number
	bags      bool      // real and pad are numbers of bags: padding is a second bag
	real, pad float64   // value of a mask at an instance, and at padding
	values    []float64 // the card's values, one for each element
}

// A resolver looks at the inputs of one model that has several.
type resolver struct {
	file   *decode.Model
	card   *signature.Card
	limits machine.Limits
	bag    *decode.Value // the input that takes the bag
	// axes of the instances of the parts of a bag that runs have shown, by the names of inputs
	shown map[string]int
	axis  int         // axis of the instances of the bag
	open  []int       // open axes of the bag
	list  []auxiliary // the inputs beside the bag that are filled in
	// the inputs that take relations of instances
	relations  []relation
	covariates []Covariate       // the inputs that take covariates of the bag
	places     *core.PlaceValues // the values of an instance that are its coordinates, or nil
	notes      []string          // what was decided, in sentences
}

// Resolve rewrites the graph of a file so that the bag is its first input, and the others take
// relations of instances. Several inputs that hold values of each instance become one, whose
// instances have the values of all. Errors are a *fault.Unsupported if the meaning of an input
// cannot be found, a *fault.Format if the card contradicts the graph, and a *fault.Limit. Inputs
// with an initializer keep their default.
func Resolve(
	file *decode.Model, card *signature.Card, limits machine.Limits,
) (result Result, err error) {
	inputs := withoutDefaults(file.Graph)
	for _, c := range card.Inputs {
		if !slices.ContainsFunc(inputs, func(v *decode.Value) bool { return v.Name == c.Name }) {
			return result, fault.Formatf("model card",
				`key "inputs": the graph takes no input %q`, c.Name)
		}
	}
	if len(inputs) < 2 {
		return result, nil
	}
	// First the bag, of one input or joined of several; then what the others take.
	s := &resolver{file: file, limits: limits}
	s.card, s.notes = withoutTraining(file.Graph, card, inputs)
	if inputs, err = s.findRelations(inputs); err != nil {
		return result, err
	}
	parts, err := s.findBag(inputs)
	if err != nil {
		return result, err
	}
	s.bag = parts[0]
	if len(parts) > 1 {
		s.findAxes(inputs, parts)
		if err := s.checkParts(inputs, parts); err != nil {
			return result, err
		}
		if s.bag, err = s.join(parts); err != nil {
			return result, err
		}
	}
	s.axis, s.open = signature.InstanceAxis(s.bag, card)
	if len(s.open) == 0 {
		return result, signature.StaticError(s.bag)
	}
	beside := slices.DeleteFunc(slices.Clone(inputs), func(v *decode.Value) bool {
		return slices.Contains(parts, v)
	})
	if beside, err = s.findCovariates(beside, card); err != nil {
		return result, err
	}
	if err := s.fillBeside(beside); err != nil {
		return result, err
	}
	return Result{Axis: &s.axis, Notes: s.notes, Relations: s.order(), Covariates: s.covariates,
		Joined: len(parts) > 1, Places: s.places}, nil
}

// fillBeside finds and writes what the inputs beside the bag take. If nothing passes, it tries the
// other open axes of the bag for the instances, unless the card states the axis.
func (s *resolver) fillBeside(inputs []*decode.Value) error {
	if len(inputs) == 0 {
		return nil
	}
	first, err := s.axis, s.fill(inputs)
	var gap *fault.Unsupported
	for _, axis := range s.open {
		if !errors.As(err, &gap) || s.card.InstanceAxis != nil || axis == first {
			continue
		}
		if s.axis = axis; s.fill(inputs) == nil {
			s.notes = append(s.notes, msg.Sprintf("The instances lie along axis %d of input "+
				"%q %s: with another axis, the other inputs have no meaning. \"instance_axis\" in "+
				"the model card says otherwise.", axis, s.bag.Name, signature.ShapeText(s.bag)))
			return nil
		}
	}
	return err
}

// fill finds and writes what the inputs beside the bag take if its instances lie along s.axis.
func (s *resolver) fill(inputs []*decode.Value) error {
	s.list = nil
	for _, v := range inputs {
		one, err := s.auxiliary(v)
		if err != nil {
			return err
		}
		s.list = append(s.list, one)
	}
	chosen, err := s.prove()
	if err == nil {
		s.write(chosen)
	}
	return err
}

// withoutDefaults returns the inputs that have no initializer.
func withoutDefaults(g *decode.Graph) []*decode.Value {
	var inputs []*decode.Value
	known := map[string]bool{} // an input that is declared twice counts once
	for _, t := range g.Initializers {
		known[t.Name] = true
	}
	for i := range g.Inputs {
		v := &g.Inputs[i]
		if !known[v.Name] {
			inputs = append(inputs, v)
		}
		known[v.Name] = true
	}
	return inputs
}

// findBag returns the inputs that take the bag, or a part of each of its instances: those that the
// card states as "instances", and those whose shape has room for several numbers of each instance.
// Inputs for which the card states something else are left out.
func (s *resolver) findBag(inputs []*decode.Value) (parts []*decode.Value, err error) {
	for _, v := range inputs {
		c := s.card.Input(v.Name)
		if c == nil && ofInstances(v) || c != nil &&
			(c.Role == signature.RoleInstances || c.Role == signature.RolePlaces) {
			parts = append(parts, v)
		}
	}
	if len(parts) > 0 {
		return parts, nil
	}
	for _, v := range inputs { // all axes are open: the bag is the input with the most axes
		switch {
		case s.card.Input(v.Name) != nil || !v.Type.Float():
		case len(parts) == 0 || len(v.Shape) > len(parts[0].Shape):
			parts = append(parts[:0], v)
		case len(v.Shape) == len(parts[0].Shape):
			parts = append(parts, v)
		}
	}
	if len(parts) != 1 {
		return nil, fault.Unsupportedf("graph inputs "+inputNames(inputs),
			"their shapes do not show which of them takes the bag; %s",
			wayOut(inputs[0].Name))
	}
	return parts, nil
}

// ofInstances reports whether an input holds several numbers of each instance: one axis is open,
// and the others hold more than one value. A mask or a count holds one number of each instance or
// of the bag. Pairs of integers with the open axis last are the edges of a graph, not instances.
func ofInstances(v *decode.Value) bool {
	known, first := int64(1), -1
	for i, d := range v.Shape {
		switch {
		case d >= 0:
			known *= int64(min(d, 1<<20)) // no overflow for the few axes of an input
		case first < 0:
			first = i
		}
	}
	_, _, whole := v.Type.Integer()
	return first >= 0 && known > 1 && known < 1<<40 &&
		v.Type.Runtime().Size() > 0 && v.Type != tensor.Bool &&
		!(whole && first > 0 && v.Shape[0] == 2)
}

// auxiliary finds which open axis of the bag gives each open dimension of an input its length, and
// the candidates for what the input takes. Dimensions belong together if the file names them alike,
// or if the input has as many open dimensions as the bag. Else they follow the instances.
func (s *resolver) auxiliary(v *decode.Value) (auxiliary, error) {
	out := auxiliary{Value: v}
	var open []int
	elements := 1
	for i, d := range v.Shape {
		out.like = append(out.like, -1)
		if d < 0 {
			open = append(open, i)
			continue
		}
		elements *= min(d, s.limits.Elements)
		if elements > s.limits.Elements {
			return out, &fault.Limit{What: "elements of an input", Wanted: uint64(elements),
				Limit: uint64(s.limits.Elements), Setting: "elements"}
		}
	}
	_, _, whole := v.Type.Integer()
	if whole && len(v.Shape) == 1 && len(open) == 1 && calledLength(v) &&
		(v.Names[0] == "" || !slices.Contains(s.bag.Names, v.Names[0])) {
		one := *v // a length of each bag, of a batch of one
		one.Shape = []int{1}
		out.Value, out.like, open = &one, []int{-1}, nil
	}
	for n, i := range open {
		sameName := slices.IndexFunc(s.open, func(b int) bool {
			return v.Names[i] != "" && s.bag.Names[b] == v.Names[i]
		})
		switch {
		case sameName >= 0:
			out.like[i] = s.open[sameName]
		case len(open) == len(s.open):
			out.like[i] = s.open[n]
		case len(open) == 1 && whole && len(v.Shape) == 1 && s.open[0] != s.axis:
			out.like[i] = s.open[0] // one number for each bag of a batch
		default:
			out.like[i] = s.axis
		}
	}
	if v.Shape == nil || v.Type.Runtime().Size() == 0 {
		return out, fault.Unsupportedf("input "+msg.Quoted(v.Name),
			"it is of %v and shape %s, and the model takes it beside a bag; export it as a "+
				"constant",
			v.Type, signature.ShapeText(v))
	}
	// A single number of the card fills inputs of any shape. A list must have all elements.
	card := s.card.Input(v.Name)
	if card != nil && card.Role != signature.RoleCount && len(card.Values) != 1 &&
		(len(open) > 0 || len(card.Values) != elements) {
		return out, fault.Formatf("model card",
			`key "inputs": input %q of shape %s does not take %d numbers`,
			v.Name, signature.ShapeText(v), len(card.Values))
	}
	out.fills = s.candidates(&out, card, elements)
	return out, nil
}

// calledLength reports whether an input has a usual name of the number of instances of each bag.
func calledLength(v *decode.Value) bool {
	name := strings.ToLower(v.Name)
	return slices.ContainsFunc([]string{"len", "size", "count", "num_"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// candidates returns what an auxiliary input may take: what the card states, else a mask or the
// number of instances.
func (s *resolver) candidates(a *auxiliary, card *signature.CardInput, elements int) []fill {
	switch {
	case card != nil && card.Role == signature.RoleCount:
		return []fill{{count: true}}
	case card != nil && len(card.Values) == 1:
		return []fill{{real: card.Values[0], pad: card.Values[0]}}
	case card != nil:
		return []fill{{values: card.Values}}
	case slices.Contains(a.like, s.axis):
		// Conventions of masks: 1 at instances; 1 at padding; or a term that is added to logits.
		// Libraries of graphs number the bag of each instance.
		fills := []fill{{real: 1, pad: 0}, {real: 0, pad: 1}}
		if a.Type.Float() {
			fills = append(fills, fill{real: 0, pad: excluded})
		} else if a.Type != tensor.Bool && len(a.Shape) == 1 {
			fills = append(fills, fill{bags: true, real: 0, pad: 1})
		}
		return fills
	case elements == 1 && a.Type != tensor.Bool:
		return []fill{{count: true}}
	}
	return nil // Resolve returns an error that names the card's key
}

// inputNames lists inputs with their shapes.
func inputNames(inputs []*decode.Value) string {
	var names []string
	for _, v := range inputs {
		names = append(names, msg.Quoted(v.Name)+" "+signature.ShapeText(v))
	}
	return strings.Join(names, ", ")
}

// wayOut returns advice for an error: what a model card may state about inputs, with name as
// example.
func wayOut(name string) string {
	return msg.Sprintf(`state in the model card what each takes, such as "inputs": {%q: 1}: `+
		`numbers, "covariate" for those of each bag, "count" for the number of instances, `+
		`"instances" for values of each, "places" for their coordinates, "adjacency" for a matrix `+
		`of their pairs, or "edges" and "weights" for a graph`, name)
}
