package auxinput

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
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Neither shapes nor names say whether a mask marks instances or padding: attention layers of
// PyTorch and those of Keras mean opposite things. Runs of the graph decide. A filling is right if
// padding does not change the scores: the outputs for random instances must equal those for the
// same instances followed by as many others.

// excluded is the value at padding of a mask that is added to logits.
var excluded = math.Inf(-1)

const (
	proofInstances = 16 // enough for the mean of the ten highest
	fewInstances   = 2  // of more than largeInstance values, such as pictures
	largeInstance  = 1 << 12
	// work of all runs: two fillings of a ResNet-18 with 224 x 224 pictures
	proofWork    = 1 << 36
	mostFillings = 27 // fillings of all auxiliary inputs together
)

// A prover runs a graph that still has its auxiliary inputs.
type prover struct {
	*resolver
	g      *graph.Graph
	runner *plan.Runner
	n      int // instances of a run without padding
	left   int // work that is left
	failed error
}

// prove returns what the auxiliary inputs take.
func (s *resolver) prove() ([]fill, error) {
	p := &prover{resolver: s, n: proofInstances}
	unknown, err := p.plan()
	if err != nil {
		return nil, err
	}
	total := 1
	for i := range s.list {
		total *= min(len(s.list[i].fills), mostFillings+1)
	}
	if len(unknown) == 0 {
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
		if y == nil || chosen != nil && len(y) == len(scores) && tolerance.Agree(y, scores, p.n) {
			continue
		}
		if chosen != nil {
			chosen, reason = nil, "of what was tried for them several things hide padding, with "+
				"different scores"
			break
		}
		chosen, scores = fills, y
	}
	if chosen == nil {
		if p.failed != nil {
			reason += " (" + p.failed.Error() + ")"
		}
		return nil, fault.Unsupportedf("graph inputs "+inputNames(unknown),
			"the model takes them beside the bag %s, and %s; %s",
			inputNames([]*decode.Value{s.bag}), reason, wayOut(unknown[0].Name))
	}
	for i := range s.list {
		if a := &s.list[i]; slices.Contains(unknown, a.Value) {
			s.notes = append(s.notes, chosen[i].note(a.Name))
		}
	}
	return chosen, nil
}

// plan plans runs of the graph. It returns the auxiliary inputs that neither the card nor the graph
// decides. An input that no node reads may take any value.
func (p *prover) plan() (unknown []*decode.Value, err error) {
	limits := p.limits
	if p.g, err = graph.New(p.file, limits); err != nil {
		return nil, err
	}
	var given, wanted []int
	id := map[string]int{}
	for i := range p.g.Inputs {
		given = append(given, p.g.Inputs[i].ID)
		id[p.g.Inputs[i].Name] = p.g.Inputs[i].ID
	}
	for i := range p.g.Outputs {
		wanted = append(wanted, p.g.Outputs[i].ID)
	}
	program, ok := plan.New(p.g, given, wanted)
	if !ok {
		return nil, fault.Formatf("graph", "its outputs need values that nothing gives")
	}
	p.left = min(limits.Work, proofWork)
	limits.Work = p.left
	p.runner = plan.NewRunner(program, limits)
	if n, _ := tensor.Count(p.shape(1)); n > largeInstance {
		p.n = fewInstances
	}
	for i := range p.list {
		a := &p.list[i]
		switch {
		case program.Reads(id[a.Name]) != plan.ReadsAll:
			a.fills = []fill{{}}
		case p.card.Input(a.Name) == nil:
			unknown = append(unknown, a.Value)
		}
	}
	return unknown, nil
}

// filling returns combination number at of the candidates of all auxiliary inputs.
func (s *resolver) filling(at int) []fill {
	var out []fill
	for i := range s.list {
		fills := s.list[i].fills
		out = append(out, fills[at%len(fills)])
		at /= len(fills)
	}
	return out
}

// scores runs the bags A, B, A+B and B+A, where the second half is padding. If the mask hides
// padding, scores(A+B) = scores(A) and scores(B+A) = scores(B). Otherwise both equal the scores of
// the whole bag, which cannot be those of each half, even if one instance outweighs all others. It
// returns scores(A), or nil if padding changes scores.
func (p *prover) scores(fills []fill) []float64 {
	var runs [4][]*tensor.Tensor // A, B, A before B, B before A
	for i, seeds := range [4][]uint64{{1}, {2}, {1, 2}, {2, 1}} {
		if runs[i] = p.run(fills, seeds); runs[i] == nil {
			return nil
		}
	}
	var y [4][]float64
	for i, t := range runs[0] {
		if !slices.Equal(t.Shape, runs[2][i].Shape) {
			continue
		}
		for j := range y {
			v, _ := runs[j][i].Float64s()
			y[j] = append(y[j], v...)
		}
	}
	for _, v := range y[0] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	if len(y[0]) != len(y[1]) || len(y[2]) != len(y[3]) || !tolerance.Agree(y[2], y[0], p.n) ||
		!tolerance.Agree(y[3], y[1], p.n) || tolerance.Agree(y[1], y[0], p.n) {
		return nil
	}
	return y[0]
}

// run returns the floating-point outputs for p.n random instances and as much padding from each
// further seed, or nil if the graph fails.
func (p *prover) run(fills []fill, seeds []uint64) []*tensor.Tensor {
	if p.left < 0 {
		return nil
	}
	all := len(seeds) * p.n
	r := p.runner
	r.Begin(context.Background())
	for i := range p.g.Inputs {
		port := &p.g.Inputs[i]
		var shape []int
		var values []float64
		if port.Name == p.bag.Name {
			shape = p.shape(all)
			values = p.noise(seeds, shape)
		}
		for j := range p.list {
			if a := &p.list[j]; a.Name == port.Name {
				shape = a.shape(p.axis, all)
				values = fills[j].elements(a, p.axis, p.n, shape)
			}
		}
		if values == nil {
			return nil
		}
		given := tensor.From(tensor.Float64, values, shape...)
		if ops.Convert(r.Machine(), r.Slot(port.ID), given, port.Type.Runtime()) != nil {
			return nil
		}
	}
	p.failed = r.Run(nil)
	if p.left -= r.Machine().Spent(); p.left < 0 {
		p.failed = &fault.Limit{What: "multiplications to find that out", Limit: proofWork,
			Fixed: true}
	}
	if p.failed != nil {
		return nil
	}
	var out []*tensor.Tensor
	for i := range p.g.Outputs {
		if t := r.Value(p.g.Outputs[i].ID); t.Type == tensor.Float32 || t.Type == tensor.Float64 {
			out = append(out, t.Clone())
		}
	}
	return out
}

// shape returns the shape of the bag's input for some instances. Other open axes have length 1.
func (p *prover) shape(instances int) []int {
	shape := slices.Clone(p.bag.Shape)
	for _, d := range p.open {
		shape[d] = 1
	}
	shape[p.axis] = instances
	return shape
}

// shape returns the shape of an auxiliary input for some instances.
func (a *auxiliary) shape(axis, instances int) []int {
	shape := slices.Clone(a.Shape)
	for d, like := range a.like {
		if like == axis {
			shape[d] = instances
		} else if like >= 0 {
			shape[d] = 1
		}
	}
	return shape
}

// noise returns random values of p.n instances for each seed.
func (p *prover) noise(seeds []uint64, shape []int) []float64 {
	n, ok := tensor.Count(shape)
	if !ok || n > p.limits.Elements {
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
	for s, seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 0x6261677363))
		for i := s * p.n; i < (s+1)*p.n; i++ {
			for o := range outer {
				for j := range inner {
					values[(o*k+i)*inner+j] = float64(float32(6*random.Float64() - 3))
				}
			}
		}
	}
	return values
}

// elements returns the values of an auxiliary input if the first instances are real and the others
// are padding, or nil if they are too many.
func (f *fill) elements(a *auxiliary, axis, instances int, shape []int) []float64 {
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
		for d, like := range a.like {
			if !f.count && like == axis && i/strides[d]%shape[d] >= instances {
				values[i] = f.pad
			}
		}
	}
	return values
}

// note says what an input takes, and why.
func (f *fill) note(name string) string {
	if f.count {
		return "Input " + strconv.Quote(name) +
			" is given the number of instances: with that, runs " +
			"on random instances do not see what lies behind them."
	}
	return fmt.Sprintf("Input %q is a mask and is given %v for each instance: runs on random "+
		"instances do not see what lies where it has %v.", name, f.real, f.pad)
}
