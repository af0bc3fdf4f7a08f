package signature

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Layout says how a bag lies in the input: its instances along one axis, the values of an
// instance in row-major order along the others.
type Layout struct {
	Axis  int   // axis of the instances
	Shape []int // shape of the whole input
}

// A Fitted bag is one that fits the input, with its layout. Signature.Fit makes it, and the parts
// and selections of a fitted bag are fitted too.
type Fitted struct {
	Layout
	Bag *core.Bag

	s         *Signature
	relations *core.Relations // the bag's relations in the form that the inputs take, or nil
	// values of the inputs that take covariates, in the order of Signature.Covariates
	covariates []*tensor.Tensor
}

// Fit finds how a bag and its relations lie in the inputs. It returns a *core.BagError if the bag
// does not fit.
func (s *Signature) Fit(bag *core.Bag) (Fitted, error) {
	f, err := s.FitInstances(bag)
	if err == nil && len(s.relations) > 0 {
		f.relations, err = s.relationsOf(bag)
	}
	return f, err
}

// FitInstances is Fit for instances that are encoded one by one, without their relations. Errors
// are those of Fit.
func (s *Signature) FitInstances(bag *core.Bag) (Fitted, error) {
	if err := bag.Validate(); err != nil {
		return Fitted{}, err
	}
	bag = s.input.channelsFirst(bag)
	f := Fitted{Bag: bag, s: s}
	var err error
	if f.Layout, err = s.input.layout(bag); err == nil {
		f.covariates, err = s.covariatesOf(bag)
	}
	return f, err
}

// Len returns the number of instances.
func (f Fitted) Len() int { return f.Bag.Len() }

// Part returns instances lo up to hi of the bag, whose values it shares.
func (f Fitted) Part(lo, hi int) Fitted {
	b, n := f.Bag, f.Bag.Stride()
	part := &core.Bag{Name: b.Name, Shape: b.Shape, Raw: b.Raw, Values: b.Values[lo*n : hi*n]}
	if f.relations == nil {
		return f.of(part, nil)
	}
	instances := make([]int, hi-lo)
	for i := range instances {
		instances[i] = lo + i
	}
	return f.of(part, f.relations.Select(f.Len(), instances))
}

// Select returns a bag of copies of some instances, in the order given. Instances may repeat.
func (f Fitted) Select(instances []int) Fitted {
	b, n := f.Bag, f.Bag.Stride()
	out := &core.Bag{Name: b.Name, Shape: b.Shape, Raw: b.Raw}
	out.Values = make([]float32, 0, len(instances)*n)
	for _, i := range instances {
		out.Values = append(out.Values, b.Instance(i)...)
	}
	return f.of(out, f.relations.Select(f.Len(), instances))
}

// of returns the layout of another number of instances of the same shape.
func (f Fitted) of(bag *core.Bag, r *core.Relations) Fitted {
	shape := slices.Clone(f.Shape)
	shape[f.Axis] = bag.Len()
	return Fitted{Layout: Layout{f.Axis, shape}, Bag: bag, s: f.s, relations: r,
		covariates: f.covariates}
}

// channelsFirst returns a bag of pictures in the layout of the file's input with their channels
// first, as the graph takes them, and other bags unchanged.
func (in *Input) channelsFirst(bag *core.Bag) *core.Bag {
	if !in.ChannelsLast || len(bag.Shape) != 3 || bag.Shape[0] == in.Shape[1] ||
		bag.Shape[2] != in.Shape[1] {
		return bag
	}
	out := *bag
	pixels, channels := bag.Shape[0]*bag.Shape[1], bag.Shape[2]
	out.Shape = []int{channels, bag.Shape[0], bag.Shape[1]}
	out.Values = make([]float32, len(bag.Values))
	for i := range bag.Len() {
		from, to := bag.Instance(i), out.Instance(i)
		for at, v := range from {
			to[at%channels*pixels+at/channels] = v
		}
	}
	return &out
}

// layout finds how a bag lies in the input, or says why it does not fit.
func (in *Input) layout(bag *core.Bag) (Layout, error) {
	if in.Shape == nil {
		return Layout{0, append([]int{bag.Len()}, bag.Shape...)}, nil
	}
	axis := in.Axis
	if !in.fixed && len(in.dynamic) > 1 {
		switch missing := len(in.Shape) - len(bag.Shape); {
		case missing == 1: // the input has no axis beside those of a bag
			axis = in.dynamic[0]
		case missing == 2 && slices.Contains(in.dynamic, 1) && in.Shape[0] <= 1:
			axis = 1 // the first axis is a batch of one bag
		}
	}
	declared := slices.Delete(slices.Clone(in.Shape), axis, axis+1)
	if axis > 0 && len(declared) == len(bag.Shape)+1 && declared[0] == -1 {
		declared[0] = 1 // a batch of one bag
	}
	got := matched(declared, bag.Shape)
	if got == nil {
		hint := ""
		if len(in.dynamic) > 1 && !in.fixed {
			hint = "; several axes are open, and \"instance_axis\" in the model card says which " +
				"one holds the instances"
		}
		return Layout{}, bagError(bag,
			"its instances have shape %v, and input %q of shape %s takes "+
				"instances of shape %s along axis %d%s",
			bag.Shape, in.Name, ShapeText(&in.Value), openText(declared), axis, hint)
	}
	return Layout{axis, slices.Insert(got, axis, bag.Len())}, nil
}

// one returns how a bag of one instance lies in the input, nil if the file leaves the shape of an
// instance open. An open axis before the instances is a batch of one bag.
func (in *Input) one() *Layout {
	if in.Shape == nil {
		return nil
	}
	shape := slices.Clone(in.Shape)
	shape[in.Axis] = 1
	if shape[0] < 0 {
		shape[0] = 1
	}
	if slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) {
		return nil
	}
	return &Layout{in.Axis, shape}
}

// openText writes the shape of an instance with ? for open axes.
func openText(shape []int) string {
	return strings.ReplaceAll(msg.Sprintf("%v", shape), "-1", "?")
}

// matched returns the declared shape of an instance with the lengths of its open axes taken from
// the shape of a bag's instances, or nil if the two differ. Axes of length 1 may be missing, and a
// flat list of values may stand for a picture, whose values have the same order.
func matched(declared, have []int) []int {
	lead := max(0, len(declared)-len(have))
	agree := len(declared) >= len(have)
	out := slices.Clone(declared)
	for i, d := range declared {
		switch {
		case !agree:
		case i < lead:
			agree = d == 1
		case d < 0:
			out[i] = have[i-lead]
		default:
			agree = d == have[i-lead]
		}
	}
	if agree {
		return out
	}
	if slices.Contains(declared, -1) {
		return nil // lengths of open axes cannot be taken from another number of axes
	}
	a, ok := tensor.Count(declared)
	b, _ := tensor.Count(have)
	x, y := squeezed(declared), squeezed(have)
	if ok && a == b && (slices.Equal(x, y) || len(x) == 1 || len(y) == 1) {
		return slices.Clone(declared)
	}
	return nil
}

// squeezed returns a shape without its axes of length 1.
func squeezed(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}

// Load writes the bag's values into the input's tensor dst, in the input's type, with the card's
// preprocessing of raw pixels. The machine mc supplies the memory and returns a *fault.Limit if it
// has too little.
func (f Fitted) Load(mc *machine.Machine, dst *tensor.Tensor) error {
	typ := f.s.input.Type.Runtime()
	t := dst
	if typ != tensor.Float32 {
		t = &tensor.Tensor{} // values are converted from there
	}
	if err := mc.Alloc(t, tensor.Float32, f.Shape...); err != nil {
		return err
	}
	values := tensor.Of[float32](t)
	outer, k, inner := tensor.Split(f.Shape, f.Axis)
	preprocess := f.preprocessing()
	// Axes may lie before that of the instances, so that an instance is copied in outer rows.
	for i := range k {
		x := f.Bag.Instance(i)
		for o := range outer {
			row := values[(o*k+i)*inner:][:inner]
			copy(row, x[o*inner:(o+1)*inner])
			if preprocess != nil {
				preprocess(row, o*inner)
			}
		}
	}
	if t == dst {
		return nil
	}
	defer mc.Release(t)
	return compute.Convert(mc, dst, t, typ)
}

// preprocessing returns the card's preprocessing of a row of values that begins at a place of an
// instance, nil if there is none.
func (f Fitted) preprocessing() func(row []float32, from int) {
	p := f.s.card.Preprocess
	if !f.Bag.Raw || p == nil {
		return nil
	}
	channel := f.Bag.Stride()
	if len(f.Bag.Shape) == 3 {
		channel /= f.Bag.Shape[0]
	}
	return func(row []float32, from int) {
		for i, v := range row {
			c := (from + i) / channel
			mean, std := p.Mean[min(c, len(p.Mean)-1)], p.Std[min(c, len(p.Std)-1)]
			row[i] = float32((float64(v)*p.Scale - mean) / std)
		}
	}
}

// Notes returns what was assumed about the bag, in sentences.
func (f Fitted) Notes() []string {
	if !f.Bag.Raw {
		return nil
	}
	return f.s.PixelNotes(f.Bag.Shape)
}
