package auxinput

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Bounds of a run that tries inputs of different lengths.
const (
	partsWork   = 1 << 30 // multiplications, or elements touched
	partsBytes  = 1 << 28
	partsValues = 1 << 22 // most values of one input
)

// checkParts refuses inputs that take several bags, and not parts of one: their open axes have
// different names, and the graph runs on different numbers of instances in each. Parts that the
// card names are accepted.
func (s *resolver) checkParts(inputs, parts []*decode.Value) error {
	if len(inputs) > len(parts) {
		return nil // the graph does not run without the others
	}
	shapes, alike := [][]int{}, true
	first := ""
	for n, p := range parts {
		if s.card.Input(p.Name) != nil {
			return nil
		}
		axis, open := signature.InstanceAxis(p, s.card)
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
		"each takes a number of instances of its own, so that they are several bags, and one "+
			"bag is "+
			"explained; %s",
		wayOut(parts[len(parts)-1].Name))
}

// runs reports whether the graph runs on random inputs of some shapes.
func (s *resolver) runs(inputs []*decode.Value, shapes [][]int) bool {
	limits := s.limits
	limits.Work, limits.Bytes = min(limits.Work, partsWork), min(limits.Bytes, partsBytes)
	g, err := graph.New(s.file, limits)
	if err != nil {
		return false
	}
	var given, wanted []int
	for _, p := range g.Inputs {
		given = append(given, p.ID)
	}
	for _, p := range g.Outputs {
		wanted = append(wanted, p.ID)
	}
	program, ok := plan.New(g, given, wanted)
	if !ok {
		return false
	}
	r := plan.NewRunner(program, limits)
	r.Begin(context.Background())
	random := rand.New(rand.NewPCG(1, 0x6261677363))
	for i := range g.Inputs {
		for n, v := range inputs {
			if v.Name != g.Inputs[i].Name {
				continue
			}
			count, ok := tensor.Count(shapes[n])
			if !ok || count > partsValues {
				return false
			}
			values := make([]float64, count)
			for j := range values {
				values[j] = float64(float32(random.Float64()))
			}
			t := tensor.From(tensor.Float64, values, shapes[n]...)
			if ops.Convert(r.Machine(), r.Slot(g.Inputs[i].ID), t, v.Type.Runtime()) != nil {
				return false
			}
		}
	}
	return r.Run(nil) == nil
}

// join replaces several inputs that each hold a part of every instance by one.
func (s *resolver) join(parts []*decode.Value) (*decode.Value, error) {
	bag := &decode.Value{Type: tensor.Float32, Shape: []int{-1, 0}, Names: []string{"", ""}}
	for _, p := range parts {
		bag.Name += "+" + p.Name
	}
	bag.Name = bag.Name[1:]
	note := ""
	for _, p := range parts {
		axis, open := signature.InstanceAxis(p, s.card)
		if len(open) == 0 {
			return nil, signature.StaticError(p)
		}
		// the shape with the instances first; the order of the file
		rest, perm := []int64{-1}, []int64{}
		values, first := 1, true
		for d, n := range p.Shape {
			if d == axis {
				perm = append(perm, 0)
				continue
			}
			if n < 0 && d == 0 && axis == 1 {
				n = 1 // a batch
			}
			if values *= max(n, 0); values == 0 || bag.Shape[1]+values > s.limits.Elements {
				return nil, fault.Unsupportedf("input "+inputNames([]*decode.Value{p}),
					"it is one of %s, which take parts of every instance, and must have fixed "+
						"lengths, of at "+
						"most %d elements, beside its axis of the instances", inputNames(parts),
					s.limits.Elements)
			}
			first = first && (d > axis || n == 1)
			perm = append(perm, int64(len(rest)))
			rest = append(rest, int64(n))
		}
		w := &writer{prefix: "part " + p.Name}
		from := int64(bag.Shape[1])
		bag.Shape[1] += values
		x := w.add("Slice", bag.Name, w.sizes(from), w.sizes(int64(bag.Shape[1])), w.sizes(1))
		if first { // nothing lies before the instances
			copy(rest, rest[1:axis+1])
			rest[axis] = -1
			perm = nil
		}
		if x = w.add("Reshape", x, w.sizes(rest...)); perm != nil {
			x = w.add("Transpose", x)
			w.with("perm", nil, perm, 0)
		}
		w.put(s.file.Graph, p, x)
		if bag.Names[0] == "" {
			bag.Names[0] = p.Names[axis]
		}
		note += fmt.Sprintf(", %d for %q %s", values, p.Name, signature.ShapeText(p))
	}
	s.file.Graph.Inputs = append([]decode.Value{*bag}, s.file.Graph.Inputs...)
	s.notes = append(s.notes, fmt.Sprintf("The model takes several arrays with a part of every "+
		"instance: an instance of a bag has %d values, one part after the other%s.", bag.Shape[1],
		note))
	return bag, nil
}
