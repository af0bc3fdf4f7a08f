package onnxbackend

import (
	"context"
	"math/rand/v2"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// checkParts refuses inputs that would become one but take bags of their own: the file calls their open axes differently, and
// the graph runs on another number of instances in each. Where the card names the parts it is believed.
func (s *sideInputs) checkParts(inputs, parts []*decode.Value) error {
	if len(inputs) > len(parts) {
		return nil // others would have to be given something first
	}
	shapes, alike := [][]int{}, true
	first := ""
	for n, p := range parts {
		if s.m.card.input(p.Name) != nil {
			return nil
		}
		axis, open := s.m.instanceAxis(p)
		if len(open) == 0 {
			return nil // join says so
		}
		shape := make([]int, len(p.Shape))
		for d, side := range p.Shape {
			shape[d] = max(side, 1)
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
	return fault.Unsupportedf("graph inputs "+portNames(parts), "each takes a number of instances of its own, so that they are several bags, and one bag is explained; %s",
		inputsWayOut(parts[len(parts)-1].Name))
}

// runs reports whether the graph runs on random inputs of some shapes.
func (s *sideInputs) runs(inputs []*decode.Value, shapes [][]int) bool {
	limits := s.m.limits.run()
	limits.Work, limits.Bytes = min(limits.Work, axisWork), min(limits.Bytes, randomBytes)
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
			if !ok || count > randomValues {
				return false
			}
			values := make([]float64, count)
			for j := range values {
				values[j] = float64(float32(random.Float64()))
			}
			if ops.Convert(r.Machine(), r.Slot(g.Inputs[i].ID), tensor.From(tensor.Float64, values, shapes[n]...), v.Type.Runtime()) != nil {
				return false
			}
		}
	}
	return r.Run(nil) == nil
}
