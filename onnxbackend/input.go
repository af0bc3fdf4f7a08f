package onnxbackend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// input is the graph input that takes the bag.
type input struct {
	graph.Port
	axis    int   // of the instances, as far as the file tells
	dynamic []int // axes whose size the file leaves open
	fixed   bool  // the card names the axis, or runs have shown it
	notes   []string
}

// findInput takes the only input without a default and decides where the instances lie.
func (m *Model) findInput() (input, error) {
	var in input
	if len(m.g.Inputs) == 0 {
		return in, fault.Unsupportedf("graph", "it has no input for a bag; every input has an initializer")
	}
	in.Port = m.g.Inputs[0] // those beside it are nodes; see auxinput
	if t := in.Type.Runtime(); t.Size() == 0 || t == tensor.Bool {
		return in, fault.Unsupportedf(fmt.Sprintf("input %q", in.Name), "it is of %v, and a bag holds numbers", in.Type)
	}
	for i, d := range in.Shape {
		if d < 0 {
			in.dynamic = append(in.dynamic, i)
		}
	}
	return in, m.findAxis(&in)
}

func (m *Model) findAxis(in *input) error {
	if a := m.card.InstanceAxis; a != nil {
		in.fixed = true
		in.axis = *a
		if in.Shape == nil && *a == 0 {
			return nil
		}
		var ok bool
		if in.axis, ok = tensor.Axis(*a, len(in.Shape)); !ok {
			return fault.Formatf("model card", "key \"instance_axis\": input %q of shape %s has no axis %d", in.Name, signature.ShapeText(&in.Value), *a)
		}
		if in.Shape[in.axis] >= 0 {
			return signature.StaticError(&in.Value)
		}
		return nil
	}
	switch {
	case m.auxiliary.Axis != nil:
		in.axis, in.fixed = *m.auxiliary.Axis, true
		return nil
	case in.Shape == nil:
		in.notes = append(in.notes, fmt.Sprintf("The file does not tell the shape of input %q: instances are taken to lie along its first axis.", in.Name))
	case len(in.dynamic) == 0:
		return signature.StaticError(&in.Value)
	case in.batched():
		in.axis = 1
	default:
		in.axis = in.dynamic[0]
	}
	if len(in.dynamic) > 1 {
		in.notes = append(in.notes, fmt.Sprintf("Input %q has several open axes %s: which one holds the instances is decided by the shape of a bag's instances, or by \"instance_axis\" in the model card.", in.Name, signature.ShapeText(&in.Value)))
	}
	return nil
}

// batched reports whether the first of several open axes is named as a batch of bags.
func (in *input) batched() bool { return signature.Batched(&in.Value, in.dynamic) }

// place is how a bag lies in the input.
type place struct {
	axis  int   // of the instances
	shape []int // of the whole input
}

// fit decides how a bag lies in the input, or says why it does not.
func (in *input) fit(bag *core.Bag) (place, error) {
	if err := bag.Validate(); err != nil {
		return place{}, err
	}
	if in.Shape == nil {
		return place{0, append([]int{bag.Len()}, bag.Shape...)}, nil
	}
	axis := in.axis
	if !in.fixed && len(in.dynamic) > 1 {
		switch len(in.Shape) - len(bag.Shape) {
		case 1:
			axis = in.dynamic[0]
		case 2:
			if slices.Contains(in.dynamic, 1) && in.Shape[0] <= 1 {
				axis = 1
			}
		}
	}
	want := slices.Delete(slices.Clone(in.Shape), axis, axis+1)
	if axis > 0 && len(want) == len(bag.Shape)+1 && want[0] == -1 {
		want[0] = 1
	}
	got := matched(want, bag.Shape)
	if got == nil {
		hint := ""
		if len(in.dynamic) > 1 && !in.fixed {
			hint = "; several axes are open, and \"instance_axis\" in the model card says which one holds the instances"
		}
		return place{}, &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("its instances have shape %v, and input %q of shape %s takes instances of shape %s along axis %d%s",
			bag.Shape, in.Name, signature.ShapeText(&in.Value), openWords(want), axis, hint)}
	}
	return place{axis, slices.Insert(got, axis, bag.Len())}, nil
}

// one returns how a bag of one instance lies in the input, nil when the file leaves the shape of an instance open. An
// open axis before the instances is a batch of one bag.
func (in *input) one() *place {
	if in.Shape == nil {
		return nil
	}
	shape := slices.Clone(in.Shape)
	shape[in.axis] = 1
	if shape[0] < 0 {
		shape[0] = 1
	}
	if slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) {
		return nil
	}
	return &place{in.axis, shape}
}

func openWords(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), "-1", "?")
}

// matched returns the wanted shape of an instance with open sides filled in from the one it has, or nil
// when they do not agree. Sides of one may be missing, and a flat list of values may stand for a picture.
func matched(want, have []int) []int {
	lead := max(0, len(want)-len(have))
	agree := len(want) >= len(have)
	out := slices.Clone(want)
	for i := range want {
		switch {
		case !agree:
		case i < lead:
			agree = want[i] == 1
		case want[i] < 0:
			out[i] = have[i-lead]
		default:
			agree = want[i] == have[i-lead]
		}
	}
	if agree {
		return out
	}
	if slices.Contains(want, -1) {
		return nil
	}
	a, ok := tensor.Count(want)
	b, _ := tensor.Count(have)
	x, y := squeezed(want), squeezed(have)
	if ok && a == b && (slices.Equal(x, y) || len(x) == 1 || len(y) == 1) {
		return slices.Clone(want)
	}
	return nil
}

func squeezed(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}

// load writes a bag's values into the input's tensor, pixels preprocessed as the card says.
func (m *Model) load(mc *machine.Machine, dst *tensor.Tensor, bag *core.Bag, p place) error {
	typ := m.input.Type.Runtime()
	var buffer tensor.Tensor
	t := &buffer
	if typ == tensor.Float32 {
		t = dst
	}
	if err := mc.Alloc(t, tensor.Float32, p.shape...); err != nil {
		return err
	}
	values := tensor.Of[float32](t)
	outer, k, inner := 1, bag.Len(), 1
	for _, d := range p.shape[:p.axis] {
		outer *= d
	}
	for _, d := range p.shape[p.axis+1:] {
		inner *= d
	}
	scale := m.pixels(bag)
	for i := range k {
		x := bag.Instance(i)
		for o := range outer {
			row := values[(o*k+i)*inner:][:inner]
			copy(row, x[o*inner:(o+1)*inner])
			if scale != nil {
				scale(row, o*inner)
			}
		}
	}
	if t == dst {
		return nil
	}
	defer mc.Release(t)
	return ops.Convert(mc, dst, t, typ)
}

// pixels returns the preprocessing of values from a place of an instance on, nil when there is none.
func (m *Model) pixels(bag *core.Bag) func(row []float32, from int) {
	p := m.card.Preprocess
	if !bag.Raw || p == nil {
		return nil
	}
	channel := bag.Stride()
	if len(bag.Shape) == 3 {
		channel /= bag.Shape[0]
	}
	return func(row []float32, from int) {
		for i, v := range row {
			c := (from + i) / channel
			row[i] = float32((float64(v)*p.Scale - p.Mean[min(c, len(p.Mean)-1)]) / p.Std[min(c, len(p.Std)-1)])
		}
	}
}

// pixelNotes says what became of raw pixels.
func (m *Model) pixelNotes(bag *core.Bag) []string {
	if bag.Raw && m.card.Preprocess == nil {
		return []string{"The bag holds raw pixels 0 to 255 and the model card tells no preprocessing: they go into the model as they are."}
	}
	return nil
}

// checkPixels looks whether the card's preprocessing fits a raw bag.
func (m *Model) checkPixels(bag *core.Bag) error {
	p := m.card.Preprocess
	if !bag.Raw || p == nil {
		return nil
	}
	channels := 1
	if len(bag.Shape) == 3 {
		channels = bag.Shape[0]
	}
	for _, n := range []int{len(p.Mean), len(p.Std)} {
		if n != 1 && n != channels {
			return &core.BagError{Bag: bag.Name, Reason: fmt.Sprintf("its raw pixels of shape %v have %d channels, and the model card preprocesses %d", bag.Shape, channels, n)}
		}
	}
	return nil
}
