package onnxbackend

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A model may take more than the bag: a mask that tells instances from padding, their number, a second array with a part of every
// instance. What such a side input is given depends on the bag alone, so that it is written into the graph, as nodes that read the bag.
// The axis analysis then follows it as it does every other value, and a coalition gets a mask of its own size.
//
// Several inputs that hold numbers of each instance become one: a bag's instance has the values of all, one input after the other.

// A side is an input beside the bag.
type side struct {
	*decode.Value
	like  []int  // (dimension) the open axis of the bag that it is as long as, -1 where the file says the length
	fills []fill // that come into question
}

// A fill is what a side input is given.
type fill struct {
	count     bool      // the number of instances
	real, pad float64   // where an instance is, and where padding would be
	values    []float64 // of the card: one for each element
}

// sideInputs are the inputs of a model that has several.
type sideInputs struct {
	m    *Model
	file *decode.Model
	bag  *decode.Value
	axis int   // of the instances
	open []int // axes of the bag
	list []side
}

// bindSides leaves the graph of a file the bag as its only input.
func (m *Model) bindSides(file *decode.Model) error {
	var inputs []*decode.Value
	taken := map[string]bool{} // those with an initializer have a default
	for _, t := range file.Graph.Initializers {
		taken[t.Name] = true
	}
	for i := range file.Graph.Inputs {
		v := &file.Graph.Inputs[i]
		if !taken[v.Name] {
			inputs = append(inputs, v)
		}
		taken[v.Name] = true
	}
	for _, c := range m.card.Inputs {
		if !slices.ContainsFunc(inputs, func(v *decode.Value) bool { return v.Name == c.Name }) {
			return fault.Formatf("model card", "key \"inputs\": the graph takes no input %q", c.Name)
		}
	}
	if len(inputs) < 2 {
		return nil
	}
	s := &sideInputs{m: m, file: file}
	parts, err := s.findBag(inputs)
	if err != nil {
		return err
	}
	s.bag = parts[0]
	if len(parts) > 1 {
		if err := s.checkParts(inputs, parts); err != nil {
			return err
		}
		if s.bag, err = s.join(parts); err != nil {
			return err
		}
	}
	s.axis, s.open = m.instanceAxis(s.bag)
	if len(s.open) == 0 {
		return staticError(s.bag)
	}
	m.sideAxis = &s.axis
	for _, v := range inputs {
		if !slices.Contains(parts, v) {
			one, err := s.side(v)
			if err != nil {
				return err
			}
			s.list = append(s.list, one)
		}
	}
	if len(s.list) == 0 {
		return nil
	}
	chosen, err := s.prove()
	if err != nil {
		return err
	}
	s.write(chosen)
	return nil
}

// findBag finds the inputs that take the bag or a part of each of its instances.
func (s *sideInputs) findBag(inputs []*decode.Value) (parts []*decode.Value, err error) {
	for _, v := range inputs {
		if c := s.m.card.input(v.Name); c != nil && c.Role == RoleInstances || c == nil && ofInstances(v) {
			parts = append(parts, v)
		}
	}
	if len(parts) > 0 {
		return parts, nil
	}
	for _, v := range inputs { // all sides are open: the bag is what has most of them
		switch {
		case s.m.card.input(v.Name) != nil || !v.Type.Float():
		case len(parts) == 0 || len(v.Shape) > len(parts[0].Shape):
			parts = append(parts[:0], v)
		case len(v.Shape) == len(parts[0].Shape):
			parts = append(parts, v)
		}
	}
	if len(parts) != 1 {
		return nil, fault.Unsupportedf("graph inputs "+portNames(inputs), "which of them takes the bag cannot be told from their shapes; %s", inputsWayOut(inputs[0].Name))
	}
	return parts, nil
}

// ofInstances reports whether an input holds several numbers of each instance: an axis is open, and others hold more than one.
// Pairs of whole numbers with the open axis last are the edges of a graph.
func ofInstances(v *decode.Value) bool {
	known, first := 1, -1
	for i, d := range v.Shape {
		switch {
		case d >= 0:
			known *= min(d, 1<<20)
		case first < 0:
			first = i
		}
	}
	_, _, whole := v.Type.Integer()
	return first >= 0 && known > 1 && known < 1<<40 && v.Type.Runtime().Size() > 0 && v.Type != tensor.Bool && !(whole && first > 0 && v.Shape[0] == 2)
}

// instanceAxis returns the axis of the instances of an input and its open axes.
func (m *Model) instanceAxis(v *decode.Value) (axis int, open []int) {
	for i, d := range v.Shape {
		if d < 0 {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return 0, nil
	}
	axis = open[0]
	if batched(v, open) || len(open) == 2 && open[1] == 1 && len(v.Shape) > 2 {
		axis = 1
	}
	if a := m.card.InstanceAxis; a != nil {
		if at, ok := tensor.Axis(*a, len(v.Shape)); ok && v.Shape[at] < 0 {
			axis = at
		}
	}
	return axis, open
}

// side finds what an input beside the bag is as long as, and what it may be given.
func (s *sideInputs) side(v *decode.Value) (side, error) {
	out := side{Value: v}
	var open []int
	elements := 1
	for i, d := range v.Shape {
		out.like = append(out.like, -1)
		if d < 0 {
			open = append(open, i)
			continue
		}
		elements *= min(d, s.m.limits.Elements)
		if elements > s.m.limits.Elements {
			return out, &fault.Limit{What: "elements of an input", Wanted: uint64(elements), Limit: uint64(s.m.limits.Elements)}
		}
	}
	named := func(i int) int {
		return slices.IndexFunc(s.open, func(b int) bool { return v.Names[i] != "" && s.bag.Names[b] == v.Names[i] })
	}
	_, _, whole := v.Type.Integer()
	for n, i := range open {
		out.like[i] = s.axis
		switch at := named(i); {
		case at >= 0:
			out.like[i] = s.open[at]
		case len(open) == len(s.open):
			out.like[i] = s.open[n]
		case len(open) == 1 && whole && len(v.Shape) == 1 && s.open[0] != s.axis:
			out.like[i] = s.open[0] // one number for each bag of a batch
		}
	}
	card := s.m.card.input(v.Name)
	along := slices.Contains(out.like, s.axis)
	switch {
	case v.Shape == nil || v.Type.Runtime().Size() == 0:
		return out, fault.Unsupportedf("input "+strconv.Quote(v.Name), "it is of %v and shape %s, and the model takes it beside a bag; export it as a constant", v.Type, words(v))
	case card != nil && card.Role == RoleCount:
		out.fills = []fill{{count: true}}
	case card != nil && len(card.Values) == 1:
		out.fills = []fill{{real: card.Values[0], pad: card.Values[0]}}
	case card != nil:
		if len(open) > 0 || len(card.Values) != elements {
			return out, fault.Formatf("model card", "key \"inputs\": input %q of shape %s does not take %d numbers", v.Name, words(v), len(card.Values))
		}
		out.fills = []fill{{values: card.Values}}
	case along:
		out.fills = []fill{{real: 1, pad: 0}, {real: 0, pad: 1}}
		if v.Type.Float() {
			out.fills = append(out.fills, fill{real: 0, pad: lost})
		}
	case elements == 1 && v.Type != tensor.Bool:
		out.fills = []fill{{count: true}}
	}
	return out, nil
}

func portNames(ports []*decode.Value) string {
	text := ""
	for i, p := range ports {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(p.Name) + " " + words(p)
	}
	return text
}

// inputsWayOut says what a model card may say of inputs.
func inputsWayOut(name string) string {
	return fmt.Sprintf("say in the model card what each is given, such as \"inputs\": {%q: 1}: a number or a list of them, \"count\" for the number of instances, or \"instances\" for values of each", name)
}
