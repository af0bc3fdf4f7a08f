package onnxbackend

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Whether a mask marks instances or padding is told by no shape, and by no name that can be relied on: attention layers of PyTorch
// and those of Keras mean opposite things. The graph itself is asked. A filling is right if what it calls padding changes no
// score: the outputs for some random instances must be those for the same instances with as much noise behind them.

// lost is what a mask that is added to weights has at padding.
var lost = math.Inf(-1)

const (
	provingInstances = 16      // enough for the mean of the ten highest
	fewInstances     = 3       // where one is a picture
	largeInstance    = 1 << 12 // values
	sideWork         = 1 << 34 // of a run, a few seconds
	mostFillings     = 27      // of all side inputs together
)

// prover runs a graph that still has its side inputs.
type prover struct {
	*sideInputs
	g      *graph.Graph
	runner *plan.Runner
	n      int // instances
}

// prove returns what the side inputs are given.
func (s *sideInputs) prove() ([]fill, error) {
	p := &prover{sideInputs: s, n: provingInstances}
	asked, err := p.ask()
	if err != nil {
		return nil, err
	}
	total := 1
	for _, side := range s.list {
		total *= min(len(side.fills), mostFillings+1)
	}
	if len(asked) == 0 {
		return s.filling(0), nil
	}
	var chosen []fill
	var scores []float64
	reason := "of what was tried for them nothing hides padding from its scores"
	if total > mostFillings {
		total, reason = 0, "they are too many to try what hides padding"
	}
	for i := range total {
		fills := s.filling(i)
		y := p.scores(fills)
		if y == nil || chosen != nil && len(y) == len(scores) && agree(y, scores) {
			continue
		}
		if chosen != nil {
			chosen, reason = nil, "of what was tried for them several things hide padding, with different scores"
			break
		}
		chosen, scores = fills, y
	}
	if chosen == nil {
		return nil, fault.Unsupportedf("graph inputs "+portNames(asked), "the model takes them beside the bag %s, and %s; %s", portNames([]decode.Value{s.bag}), reason, inputsWayOut(asked[0].Name))
	}
	for i, side := range s.list {
		if slices.ContainsFunc(asked, func(v decode.Value) bool { return v.Name == side.Name }) {
			s.m.sideNotes = append(s.m.sideNotes, chosen[i].note(side.Name))
		}
	}
	return chosen, nil
}

// ask plans runs of the graph and returns the side inputs that neither the card nor the graph decides: what nobody reads may be anything.
func (p *prover) ask() (asked []decode.Value, err error) {
	limits := p.m.limits.run()
	if p.g, err = graph.New(p.file, limits); err != nil {
		return nil, err
	}
	var given, wanted []int
	for _, port := range p.g.Inputs {
		given = append(given, port.ID)
	}
	for _, port := range p.g.Outputs {
		wanted = append(wanted, port.ID)
	}
	program, ok := plan.New(p.g, given, wanted)
	if !ok {
		return nil, fault.Formatf("graph", "its outputs need values that nothing gives")
	}
	limits.Work = min(limits.Work, sideWork)
	p.runner = plan.NewRunner(program, limits)
	if n, _ := tensor.Count(p.shape(1)); n > largeInstance {
		p.n = fewInstances
	}
	for i := range p.list {
		side := &p.list[i]
		at := slices.IndexFunc(p.g.Inputs, func(port graph.Port) bool { return port.Name == side.Name })
		switch {
		case program.Reads(p.g.Inputs[at].ID) != plan.ReadsAll:
			side.fills = []fill{{}}
		case p.m.card.input(side.Name) == nil:
			asked = append(asked, side.Value)
		}
	}
	return asked, nil
}

// filling returns one of all ways to fill the side inputs.
func (s *sideInputs) filling(at int) []fill {
	var out []fill
	for _, side := range s.list {
		out = append(out, side.fills[at%len(side.fills)])
		at /= len(side.fills)
	}
	return out
}

// scores returns the outputs for some instances, or nil where padding changes them or the instances do not.
func (p *prover) scores(fills []fill) []float64 {
	alone, padded, others := p.run(fills, 1, p.n), p.run(fills, 1, 2*p.n), p.run(fills, 2, p.n)
	if alone == nil || padded == nil || others == nil {
		return nil
	}
	var x, y, z []float64
	for i, t := range alone {
		if slices.Equal(t.Shape, padded[i].Shape) && slices.Equal(t.Shape, others[i].Shape) {
			a, _ := numbers(t)
			b, _ := numbers(padded[i])
			c, _ := numbers(others[i])
			x, y, z = append(x, a...), append(y, b...), append(z, c...)
		}
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	if !agree(y, x) || agree(z, x) {
		return nil
	}
	return x
}

// run returns the real outputs for p.n random instances and, up to all, noise. It returns nil when the graph fails.
func (p *prover) run(fills []fill, seed uint64, all int) []*tensor.Tensor {
	r := p.runner
	r.Begin(context.Background())
	for _, port := range p.g.Inputs {
		var values []float64
		var shape []int
		if i := slices.IndexFunc(p.list, func(s side) bool { return s.Name == port.Name }); i >= 0 {
			shape = p.list[i].shape(p.axis, all)
			values = fills[i].elements(&p.list[i], p.axis, p.n, shape)
		} else {
			shape = p.shape(all)
			values = p.noise(seed, shape)
		}
		if values == nil {
			return nil
		}
		if ops.Convert(r.Machine(), r.Slot(port.ID), tensor.From(tensor.Float64, values, shape...), port.Type.Runtime()) != nil {
			return nil
		}
	}
	if r.Run(nil) != nil {
		return nil
	}
	var out []*tensor.Tensor
	for _, port := range p.g.Outputs {
		if t := r.Value(port.ID); t.Type == tensor.Float32 || t.Type == tensor.Float64 {
			out = append(out, t.Clone())
		}
	}
	return out
}

// shape returns the shape of the bag's input for some instances. Other open axes have one place.
func (p *prover) shape(instances int) []int {
	shape := slices.Clone(p.bag.Shape)
	for _, d := range p.open {
		shape[d] = 1
	}
	shape[p.axis] = instances
	return shape
}

// shape returns the shape of a side input for some instances.
func (s *side) shape(axis, instances int) []int {
	shape := slices.Clone(s.Shape)
	for d, like := range s.like {
		if like == axis {
			shape[d] = instances
		} else if like >= 0 {
			shape[d] = 1
		}
	}
	return shape
}

// noise returns random values. The first instances are the same however many follow.
func (p *prover) noise(seed uint64, shape []int) []float64 {
	n, ok := tensor.Count(shape)
	if !ok || n > p.m.limits.Elements {
		return nil
	}
	values := make([]float64, n)
	outer, k, inner := 1, shape[p.axis], 1
	for _, d := range shape[:p.axis] {
		outer *= d
	}
	for _, d := range shape[p.axis+1:] {
		inner *= d
	}
	random := rand.New(rand.NewPCG(seed, 0x6261677363))
	for i := range k {
		for o := range outer {
			for j := range inner {
				values[(o*k+i)*inner+j] = float64(float32(2 * random.NormFloat64()))
			}
		}
	}
	return values
}

// elements returns what a side input is given when the first instances are real and the others padding.
func (f *fill) elements(s *side, axis, instances int, shape []int) []float64 {
	n, ok := tensor.Count(shape)
	if !ok || n > 1<<24 {
		return nil
	}
	if f.values != nil {
		return f.values
	}
	values := make([]float64, n)
	strides := tensor.Strides(shape)
	for i := range values {
		values[i] = f.real
		if f.count {
			values[i] = float64(instances)
		}
		for d, like := range s.like {
			if !f.count && like == axis && i/strides[d]%shape[d] >= instances {
				values[i] = f.pad
			}
		}
	}
	return values
}

// note says what was found out.
func (f *fill) note(name string) string {
	if f.count {
		return "Input " + strconv.Quote(name) + " is given the number of instances: with that, runs on random instances do not see what lies behind them."
	}
	return fmt.Sprintf("Input %q is a mask and is given %v for each instance: runs on random instances do not see what lies where it has %v.", name, f.real, f.pad)
}
