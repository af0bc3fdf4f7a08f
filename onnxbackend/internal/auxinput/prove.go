package auxinput

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// Neither shapes nor names say whether a mask marks instances or padding: attention layers of
// PyTorch and those of Keras have opposite conventions. Runs of the graph decide. A filling is
// right if padding does not change the scores: the outputs for random instances must equal those
// for the same instances followed by as many others. Numbers of bags are right if the others, as a
// second bag, do not change the first bag's scores.

// excluded is the value at padding of a mask that is added to logits.
var excluded = math.Inf(-1)

// Bounds of the runs that decide.
const (
	proofInstances = 16      // instances of a run: enough for the mean of the ten highest
	fewInstances   = 2       // instances of more than largeInstance values, such as pictures
	largeInstance  = 1 << 12 // values
	mostFillings   = 27      // combinations of the candidates of all inputs
	// work of all runs: two fillings of a ResNet-18, 224 x 224 pixels, unless int has 32 bits
	proofWork = min(1<<36, math.MaxInt)

	// randomStream is the second half of each seed. The decision is the same each time.
	randomStream = 0x6261677363
)

// A prover runs a graph that still has its auxiliary inputs.
type prover struct {
	*resolver
	*trial
	n      int   // instances of a run without padding
	left   int   // work that is left
	failed error // error of the last run, nil if it succeeded
	ran    bool  // some run succeeded
}

// prove returns what each auxiliary input takes: the first combination of candidates under which
// padding changes no score. The error is a *fault.Unsupported if there is none, or if another one
// passes with other scores.
func (s *resolver) prove() ([]fill, error) {
	p := &prover{resolver: s, n: proofInstances}
	unknown, err := p.plan()
	if err != nil {
		return nil, err
	}
	// The number of combinations is capped before it can overflow.
	total := 1
	for i := range s.list {
		total *= min(len(s.list[i].fills), mostFillings+1)
	}
	if len(unknown) == 0 {
		return s.filling(0), nil
	}
	var chosen []fill
	var scores []float64
	reason := "none of the fillings that were tried hides padding from its scores"
	if total > mostFillings {
		total, reason = 0, "they are too many to try what hides padding"
	}
	for i := range total {
		fills := s.filling(i)
		// Combinations with equal scores are equivalent for this model.
		y := p.scores(fills)
		if y == nil || chosen != nil && len(y) == len(scores) && tolerance.Agree(y, scores, p.n) {
			continue
		}
		if chosen != nil {
			chosen, reason = nil, "several of the fillings that were tried hide padding, with "+
				"different scores"
			break
		}
		chosen, scores = fills, y
	}
	if chosen == nil {
		if err := p.neverRan(unknown); err != nil {
			return nil, err
		}
		if p.failed != nil {
			reason += msg.Sprintf(" (%v)", p.failed)
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

// neverRan returns the error of a graph in which a node failed for every filling, or nil: then what
// the inputs take is not what is wrong, unless one may be a covariate, which nothing fills.
func (p *prover) neverRan(unknown []*decode.Value) error {
	var failed *fault.Run
	if p.ran || !errors.As(p.failed, &failed) || slices.ContainsFunc(unknown, p.ofWholeBag) {
		return nil
	}
	return fault.Unsupportedf("the graph", "it fails on a bag %s of %d random instances, whatever "+
		"the inputs beside it take, %s: %v; ONNX Runtime is likely to fail there too. The file "+
		"may hold a number of instances, or their order, as a constant: export the model with "+
		"the axis of instances dynamic, and without steps that draw random numbers or loop over "+
		"instances",
		inputNames([]*decode.Value{p.bag}), p.n, inputNames(unknown), failed)
}

// plan plans runs of the graph. It returns the auxiliary inputs that neither the card nor the graph
// decides. An input that no node reads may take any value.
func (p *prover) plan() (unknown []*decode.Value, err error) {
	limits := p.limits
	limits.Work = min(limits.Work, proofWork)
	p.left = limits.Work
	if p.trial, err = p.newTrial(limits); err != nil {
		return nil, err
	}
	// Pictures take too long in bags of 16.
	if n, _ := tensor.Count(p.shape(1)); n > largeInstance {
		p.n = fewInstances
	}
	for i := range p.list {
		a := &p.list[i]
		at := slices.IndexFunc(p.g.Inputs, func(in graph.Port) bool { return in.Name == a.Name })
		switch {
		case at < 0 || p.runner.Program().Reads(p.g.Inputs[at].ID) != plan.ReadsAll:
			a.fills = []fill{{}}
		case p.card.Input(a.Name) == nil:
			unknown = append(unknown, a.Value)
		}
	}
	return unknown, nil
}

// filling returns combination number at of the candidates, one for each auxiliary input.
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
		if runs[i] = p.run(fills, seeds); runs[i] != nil {
			continue
		}
		if one := oneBag(fills); i == 2 && one != nil {
			return p.alone(one, runs[0], runs[1])
		}
		if i == 2 && p.takesAll(fills) {
			return differing(runs[0], runs[1], p.n)
		}
		return nil
	}
	// Outputs that follow the number of instances, such as attention weights, are not compared.
	var y [4][]float64 // (run) scores of all outputs of a fixed shape
	for i, t := range runs[0] {
		if !slices.Equal(t.Shape, runs[2][i].Shape) && !firstOfTwo(fills, t, runs[2][i]) {
			continue
		}
		for j := range y {
			v, _ := runs[j][i].Float64s()
			y[j] = append(y[j], v[:min(len(v), t.Len())]...)
		}
	}
	// A and B must differ in their scores. A model that ignores the bag would pass otherwise.
	if tolerance.NonFinite(y[0]) >= 0 || len(y[0]) != len(y[1]) || len(y[2]) != len(y[3]) ||
		!tolerance.Agree(y[2], y[0], p.n) ||
		!tolerance.Agree(y[3], y[1], p.n) || tolerance.Agree(y[1], y[0], p.n) {
		return nil
	}
	return y[0]
}

// takesAll reports whether the graph runs on twice the instances if an input takes their number. It
// failed on as many with half of the number, so that it takes no padding. The fills then say so.
func (p *prover) takesAll(fills []fill) bool {
	if slices.ContainsFunc(fills, func(f fill) bool { return !f.count && f.real != f.pad }) ||
		!slices.ContainsFunc(fills, func(f fill) bool { return f.count }) {
		return false
	}
	p.n *= 2
	all := p.run(fills, []uint64{1})
	p.n /= 2
	for i := range fills {
		fills[i].exact = fills[i].count
	}
	return all != nil
}

// differing returns the scores of A, or nil if they are those of B: the model ignores the bag.
func differing(a, b []*tensor.Tensor, n int) []float64 {
	var y [2][]float64
	for i, t := range a {
		for j, run := range [2]*tensor.Tensor{t, b[i]} {
			v, _ := run.Float64s()
			y[j] = append(y[j], v...)
		}
	}
	if tolerance.NonFinite(y[0]) >= 0 || len(y[0]) != len(y[1]) || tolerance.Agree(y[1], y[0], n) {
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
	p.failed = p.trial.run(func(name string) (shape []int, values []float64) {
		if name == p.bag.Name {
			shape = p.shape(all)
			return shape, p.noise(seeds, shape)
		}
		i := slices.IndexFunc(p.list, func(a auxiliary) bool { return a.Name == name })
		if i < 0 {
			return p.related(name, p.n, all)
		}
		shape = shapeFor(p.list[i].Shape, p.list[i].like, p.axis, all)
		return shape, fills[i].elements(&p.list[i], p.axis, p.n, shape)
	})
	if p.left -= p.runner.Machine().Spent(); p.left < 0 {
		p.failed = &fault.Limit{What: "multiplications to find that out", Limit: proofWork}
	}
	if p.failed != nil {
		return nil
	}
	p.ran = true
	var out []*tensor.Tensor
	for _, port := range p.g.Outputs {
		if t := p.runner.Value(port.ID); t.Type == tensor.Float32 || t.Type == tensor.Float64 {
			out = append(out, t.Clone())
		}
	}
	return out
}

// shape returns the shape of the bag's input for some instances.
func (p *prover) shape(instances int) []int {
	like := slices.Repeat([]int{-1}, len(p.bag.Shape))
	for _, d := range p.open {
		like[d] = d
	}
	return shapeFor(p.bag.Shape, like, p.axis, instances)
}

// shapeFor returns a declared shape for some instances. Dimensions like axis, which has the
// instances of the bag, get their number. Those like other open axes get length 1.
func shapeFor(declared, like []int, axis, instances int) []int {
	shape := slices.Clone(declared)
	for d, as := range like {
		if as == axis {
			shape[d] = instances
		} else if as >= 0 {
			shape[d] = 1
		}
	}
	return shape
}

// noise returns random values of p.n instances for each seed, or nil if they are too many. An
// instance has the same values wherever it lies in the bag.
func (p *prover) noise(seeds []uint64, shape []int) []float64 {
	n, ok := tensor.Count(shape)
	if !ok || n > p.limits.Elements {
		return nil
	}
	values := make([]float64, n)
	outer, k, inner := tensor.Split(shape, p.axis)
	for s, seed := range seeds {
		random := rand.New(rand.NewPCG(seed, randomStream))
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
	// A mask has the value at padding wherever one of its axes of instances is beyond them.
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

// note returns what an input takes, and why, as a sentence.
func (f *fill) note(name string) string {
	if f.exact {
		return msg.Sprintf("Input %q is given the number of instances: the graph fails on another "+
			"number.", name)
	}
	if f.count {
		return msg.Sprintf("Input %q is given the number of instances: with that, the scores of "+
			"random instances do not depend on the padding behind them.", name)
	}
	if f.bags {
		return msg.Sprintf("Input %q has the number of each instance's bag in a batch and is "+
			"given 0: the bag is the only one.", name)
	}
	return msg.Sprintf(
		"Input %q is a mask and is given %v for each instance: the scores of random "+
			"instances do not depend on padding where it is %v.", name, f.real, f.pad)
}

// A trial runs the graph of the file on values for all of its inputs.
type trial struct {
	g      *graph.Graph
	runner *plan.Runner
}

// newTrial plans runs of the file's graph as it is now, within some limits.
func (s *resolver) newTrial(limits machine.Limits) (*trial, error) {
	g, err := graph.New(s.file, limits)
	if err != nil {
		return nil, err
	}
	program, ok := plan.New(g, graph.IDs(g.Inputs), graph.IDs(g.Outputs))
	if !ok {
		return nil, fault.Formatf("graph", "its outputs need values that no node computes")
	}
	return &trial{g, plan.NewRunner(program, limits)}, nil
}

// errInput is the error of a run without values for an input.
var errInput = errors.New("an input is too large to try")

// run runs the graph. values returns the shape and the values of an input, or nil values if there
// are none.
func (t *trial) run(values func(name string) ([]int, []float64)) error {
	r := t.runner
	r.Begin(context.Background())
	for _, port := range t.g.Inputs {
		shape, list := values(port.Name)
		if list == nil {
			return errInput
		}
		given := tensor.From(tensor.Float64, list, shape...)
		err := compute.Convert(r.Machine(), r.Slot(port.ID), given, port.Type.Runtime())
		if err != nil {
			return err
		}
	}
	return r.Run(nil)
}
