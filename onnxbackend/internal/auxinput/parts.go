package auxinput

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Bounds of a run that tries inputs of different lengths.
const (
	partsWork   = 1 << 30 // multiplications, or elements touched
	partsBytes  = 1 << 28
	partsValues = 1 << 22 // most values of one input
)

// checkParts rejects inputs that take several bags instead of parts of one: their open axes have
// different names, and the graph runs on different numbers of instances in each. Parts that the
// card names are accepted.
func (s *resolver) checkParts(inputs, parts []*decode.Value) error {
	if len(inputs) > len(parts) {
		return nil // the graph does not run without the others
	}
	if err := s.checkNumbered(parts); err != nil {
		return err
	}
	// Give each input another number of instances. A graph that combines the parts of an instance
	// fails on that, unless it pools each input before.
	shapes, alike := [][]int{}, true
	first := "" // name of the first input's axis of instances
	for n, p := range parts {
		if s.card.Input(p.Name) != nil {
			return nil
		}
		axis, open := s.axisOf(p)
		if len(open) == 0 {
			return nil // join returns the error
		}
		shape := make([]int, len(p.Shape))
		for d, n := range p.Shape {
			shape[d] = max(n, 1)
		}
		shape[axis] = 5 + 2*n
		shapes = append(shapes, shape)
		if name := p.Names[axis]; n == 0 {
			first = name
		} else {
			alike = alike && (name == first || name == "" || first == "")
		}
	}
	if alike || !s.runs(parts, shapes) {
		return nil
	}
	return fault.Unsupportedf("graph inputs "+inputNames(parts),
		"each takes its own number of instances, so that they are several bags, and one bag is "+
			"explained; export the model with a fixed number of instances in the others, and "+
			"state their values as lists in the model card, such as \"inputs\": {%q: [0.5, 1]}",
		parts[len(parts)-1].Name)
}

// runs reports whether the graph runs on random inputs of some shapes, one for each input.
func (s *resolver) runs(inputs []*decode.Value, shapes [][]int) bool {
	limits := s.limits
	limits.Work, limits.Bytes = min(limits.Work, partsWork), min(limits.Bytes, partsBytes)
	t, err := s.newTrial(limits)
	if err != nil {
		return false
	}
	// Values from 0 to 1 suit floating-point inputs. Integer inputs get zeros, which are valid
	// indices.
	random := rand.New(rand.NewPCG(1, randomStream))
	return t.run(func(name string) ([]int, []float64) {
		n := slices.IndexFunc(inputs, func(v *decode.Value) bool { return v.Name == name })
		if n < 0 {
			return s.related(name, shapes[0][0], shapes[0][0])
		}
		count, ok := tensor.Count(shapes[n])
		if !ok || count > partsValues {
			return nil, nil
		}
		values := make([]float64, count)
		for j := range values {
			values[j] = float64(float32(random.Float64()))
		}
		return shapes[n], values
	}) == nil
}

// join replaces several inputs that each hold a part of every instance by one of shape (instances,
// values of all parts). Nodes before the graph cut its columns into the parts.
func (s *resolver) join(parts []*decode.Value) (*decode.Value, error) {
	bag := &decode.Value{Type: tensor.Float32, Shape: []int{-1, 0}, Names: []string{"", ""}}
	for _, p := range parts {
		bag.Name += "+" + p.Name
	}
	bag.Name = bag.Name[1:]
	note := ""
	for _, p := range parts {
		axis, open := s.axisOf(p)
		if len(open) == 0 {
			return nil, signature.StaticError(p)
		}
		shape := slices.Clone(p.Shape)
		if _, shown := s.shown[p.Name]; shown {
			batchOfOne(shape, axis)
		} else if shape[0] < 0 && axis > 0 {
			shape[0] = 1 // a batch of one bag
		}
		instance := slices.Delete(slices.Clone(shape), axis, axis+1)
		values, ok := tensor.Count(instance)
		if !ok || values < 1 || values > s.limits.Elements-bag.Shape[1] {
			return nil, fault.Unsupportedf("input "+inputNames([]*decode.Value{p}),
				"it is one of %s, which take parts of every instance, and must have fixed "+
					"lengths, of at most %d elements, beside its axis of the instances, axis %d; "+
					"export it so, or state another axis as \"instance_axis\" in the model card",
				inputNames(parts), s.limits.Elements, axis)
		}
		// bag.Shape[1] is still where this part begins.
		if err := s.findPlaces(p, values, bag.Shape[1]); err != nil {
			return nil, err
		}
		s.cutPart(p, bag, axis, shape, instance)
		bag.Shape[1] += values
		bag.Names[0] = cmp.Or(bag.Names[0], p.Names[axis])
		note += msg.Sprintf(", %d for %q %s", values, p.Name, signature.ShapeText(p))
	}
	s.file.Graph.Inputs = append([]decode.Value{*bag}, s.file.Graph.Inputs...)
	s.notes = append(s.notes, msg.Sprintf("The model takes several arrays with a part of every "+
		"instance: an instance of a bag has %d values, one part after the other%s.", bag.Shape[1],
		note))
	return bag, nil
}

// cutPart writes the nodes that cut input p of the file out of the next columns of the bag. shape
// is that of p, and instance is the shape without the axis of the instances.
func (s *resolver) cutPart(p, bag *decode.Value, axis int, shape, instance []int) {
	w := &writer{prefix: "part " + p.Name}
	before, _ := tensor.Count(shape[:axis])
	values, _ := tensor.Count(instance)
	from := int64(bag.Shape[1])
	x := w.add("Slice", nil, bag.Name, w.sizes(from), w.sizes(from+int64(values)), w.sizes(1))
	if before == 1 { // the instances come first: their order is that of the file
		x = w.add("Reshape", nil, x, w.reshaped(shape[:axis], shape[axis+1:]))
	} else { // rows are instances: their axis moves to its place by a transposition
		x = w.add("Reshape", nil, x, w.reshaped(nil, instance))
		order := decode.Attribute{Name: "perm", Kind: decode.KindInts}
		// axis 0 has the instances, the others follow in the order of the file
		for d := range shape {
			switch {
			case d < axis:
				order.Ints = append(order.Ints, int64(d+1))
			case d == axis:
				order.Ints = append(order.Ints, 0)
			default:
				order.Ints = append(order.Ints, int64(d))
			}
		}
		x = w.add("Transpose", []decode.Attribute{order}, x)
	}
	w.put(s.file.Graph, p, x)
}

// reshaped writes the sizes of a shape with any number of instances between other axes.
func (w *writer) reshaped(before, behind []int) string {
	var sizes []int64
	for _, d := range slices.Concat(before, []int{-1}, behind) {
		sizes = append(sizes, int64(d))
	}
	return w.sizes(sizes...)
}
