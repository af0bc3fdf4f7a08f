package signature

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// If an input has several open axes, the graph is run on random input of several sizes, because
// names are not reliable. Along the axis of the instances the model takes more of them, the scores
// change, and their shape does not. Along a batch of bags the shape of the scores grows, or the
// model takes one bag only. If several axes pass, as height and width do beside the instances, the
// axis behind a batch is taken, and else the shape of a bag's instances decides.

// axisWork bounds all of these runs: multiplications, or elements touched.
const axisWork = 1 << 30

// axisSizes are the sizes to begin with, until the graph runs: of a first axis, of the second and
// of those behind.
var axisSizes = [...][3]int{{4, 4, 4}, {1, 4, 4}, {4, 4, 32}, {1, 4, 32}, {1, 70, 4}, {70, 4, 4}}

// findAxisByRuns finds the axis of the instances if neither the card nor auxiliary inputs name it.
func (s *Signature) findAxisByRuns() {
	in := &s.input
	if s.graph == nil || in.fixed || len(in.dynamic) < 2 {
		return
	}
	p := &axisRuns{randomRuns: randomRuns{s: s, work: axisWork}}
	for _, size := range axisSizes { // the first size that the graph runs on decides
		shape := slices.Clone(in.Shape)
		for _, d := range in.dynamic {
			shape[d] = size[min(d, 2)]
		}
		base := p.outputs(shape)
		if base == nil {
			continue
		}
		if axis, ok := p.instances(shape, base); ok {
			in.Axis, in.fixed = axis, true
			in.Notes = []string{msg.Sprintf("Input %q has several open axes %s, and random bags "+
				"show that axis %d holds the instances. \"instance_axis\" in the model card says "+
				"otherwise.",
				in.Name, ShapeText(&in.Value), axis)}
		}
		return
	}
}

// axisRuns run random input of any shape.
type axisRuns struct{ randomRuns }

// outputs returns the outputs for random input of a shape, nil if the graph does not run. Inputs of
// two shapes have the same elements in all places that both have, so that a difference of the
// scores comes from the places that only the larger one has.
func (p *axisRuns) outputs(shape []int) []*tensor.Tensor {
	n, ok := tensor.Count(shape)
	if !ok || n > randomValues {
		return nil
	}
	values, strides := make([]float64, n), tensor.Strides(shape)
	for i := range values {
		seed := uint64(0) // the element's place, so that a larger shape has the same elements there
		for d, s := range strides {
			seed = seed*4099 + uint64(i/s%shape[d])
		}
		values[i] = p.s.input.number(rand.New(rand.NewPCG(seed, randomStream)).NormFloat64())
	}
	if !p.run(func(to *plan.Runner) error {
		t, in := tensor.From(tensor.Float64, values, shape...), &p.s.input
		return compute.Convert(to.Machine(), to.Slot(in.ID), t, in.Type.Runtime())
	}) {
		return nil
	}
	var out []*tensor.Tensor
	for _, port := range p.s.outputs {
		out = append(out, p.runner.Value(port.ID).Clone())
	}
	return out
}

// instances returns the open axis along which the scores behave as they do along the instances, if
// it is the only one or the first behind a batch.
func (p *axisRuns) instances(shape []int, base []*tensor.Tensor) (axis int, ok bool) {
	s := p.s
	more := map[int][]*tensor.Tensor{} // outputs for an input that is longer along one axis
	for _, d := range s.input.dynamic {
		larger := slices.Clone(shape)
		larger[d] += 3
		more[d] = p.outputs(larger)
	}
	for _, i := range s.candidates() {
		pass := slices.DeleteFunc(slices.Clone(s.input.dynamic), func(d int) bool {
			y := more[d]
			return y == nil || !slices.Equal(y[i].Shape, base[i].Shape) ||
				sameNumbers(y[i], base[i])
		})
		if len(pass) > 0 { // else another output may have the class scores
			behindBatch := pass[0] == 1 && slices.Contains(s.input.dynamic, 0)
			return pass[0], len(pass) == 1 || behindBatch
		}
	}
	return 0, false
}

// sameNumbers reports whether two outputs of one shape agree up to rounding. Outputs that hold no
// numbers agree, because they cannot be scores.
func sameNumbers(x, y *tensor.Tensor) bool {
	a, err := x.Float64s()
	if err != nil {
		return true
	}
	b, err := y.Float64s()
	return err != nil || tolerance.Agree(a, b, 1)
}

// unpooled returns an *fault.Unsupported for scores whose shape follows the number of instances,
// with what to do.
func (s *Signature) unpooled(where, reason string, args ...any) error {
	return &fault.Unsupported{Unpooled: true, Nodes: []fault.Node{{Node: where,
		Reason: msg.Sprintf(reason+"; %s", append(args, msg.Text(s.axisWayOut()))...)}}}
}

// axisWayOut returns advice for an error: what to do if the shape of the scores follows the number
// of instances.
func (s *Signature) axisWayOut() string {
	in := &s.input
	var others []string
	for _, d := range in.dynamic {
		if d != in.Axis {
			others = append(others, fmt.Sprintf(`"instance_axis": %d`, d))
		}
	}
	switch {
	case len(others) > 0:
		return "if the instances lie along another axis, say " + strings.Join(others, " or ") +
			" in the model card; else " + poolingWayOut
	case in.Axis == 0 && len(in.Shape) > 2 && len(in.Shape) != 4 && in.Shape[1] > 1:
		// A batch axis that was left open. Four axes are those of pictures.
		return msg.Sprintf(
			"if axis 0 holds bags and axis 1 their instances, the file was exported "+
				"for one number of instances, %d: export it with axis 1 dynamic; else %s",
			in.Shape[1], msg.Text(poolingWayOut))
	}
	return poolingWayOut
}

// poolingWayOut is advice for a model that may score each instance by itself.
const poolingWayOut = "if the model scores each instance by itself, say how their scores become " +
	"those of the bag, as \"pool\": \"mean\" in the model card; else export an output that pools " +
	"the instances"
