package auxinput

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Exporters leave the batch open beside the instances, as in [N 2 k] and [N k 16]. Runs on one bag
// show which axis is which: along the instances the scores change and keep their shape.

// mostAxes bounds the combinations of open axes that are tried.
const mostAxes = 16

// axisOf returns the axis of the instances of a part of the bag, and its open axes.
func (s *resolver) axisOf(p *decode.Value) (axis int, open []int) {
	axis, open = signature.InstanceAxis(p, s.card)
	if shown, ok := s.shown[p.Name]; ok {
		axis = shown
	}
	return axis, open
}

// findAxes finds the axes of the instances of parts that leave two axes open, unless the card
// states the axis or other inputs are needed for a run.
func (s *resolver) findAxes(inputs, parts []*decode.Value) {
	if s.card.InstanceAxis != nil || len(inputs) > len(parts) || len(parts) > mostAxes {
		return
	}
	choices, ambiguous := []map[string]int{{}}, false
	for _, p := range parts {
		_, open := s.axisOf(p)
		ambiguous = ambiguous || len(open) > 1
		var longer []map[string]int
		for _, c := range choices {
			for _, axis := range open {
				next := maps.Clone(c)
				next[p.Name] = axis
				longer = append(longer, next)
			}
		}
		if choices = longer; len(open) > 2 || len(choices) > mostAxes {
			return
		}
	}
	if !ambiguous {
		return
	}
	var passed []map[string]int
	for _, c := range choices {
		if s.instancesAlong(parts, c) {
			passed = append(passed, c)
		}
	}
	if len(passed) != 1 {
		return
	}
	s.shown = passed[0]
	var axes []string
	for _, p := range parts {
		axes = append(axes, msg.Sprintf("axis %d of %q %s", s.shown[p.Name], p.Name,
			signature.ShapeText(p)))
	}
	s.notes = append(s.notes, msg.Sprintf("Runs on random bags show that the instances lie along "+
		"%s; the other open axes hold one bag. \"instance_axis\" in the model card says otherwise.",
		strings.Join(axes, " and ")))
}

// instancesAlong reports whether the scores change and keep their shape if there are more places
// along an axis of each part.
func (s *resolver) instancesAlong(parts []*decode.Value, axes map[string]int) bool {
	few, more := s.along(parts, axes, 4), s.along(parts, axes, 7)
	for i, t := range few {
		if i < len(more) && slices.Equal(t.Shape, more[i].Shape) {
			x, _ := t.Float64s()
			y, _ := more[i].Float64s()
			return tolerance.NonFinite(x) < 0 && !tolerance.Agree(x, y, 7)
		}
	}
	return false
}

// along returns the floating-point outputs for some instances along an axis of each part, and one
// place along other open axes. It returns nil if the graph does not run. An element is the same
// however many instances there are.
func (s *resolver) along(parts []*decode.Value, axes map[string]int, n int) []*tensor.Tensor {
	limits := s.limits
	limits.Work, limits.Bytes = min(limits.Work, partsWork), min(limits.Bytes, partsBytes)
	t, err := s.newTrial(limits)
	if err != nil {
		return nil
	}
	defer t.runner.Close()
	if t.run(func(name string) ([]int, []float64) {
		at := slices.IndexFunc(parts, func(p *decode.Value) bool { return p.Name == name })
		if at < 0 {
			return s.related(name, n, n)
		}
		shape := slices.Clone(parts[at].Shape)
		shape[axes[name]] = n
		batchOfOne(shape, axes[name])
		return shape, elementsOf(shape)
	}) != nil {
		return nil
	}
	var out []*tensor.Tensor
	for _, port := range t.g.Outputs {
		if v := t.runner.Value(port.ID); v.Type.Float() {
			out = append(out, v.Clone())
		}
	}
	return out
}

// elementsOf returns random elements from 0 to 1, which depend on their places, or nil if they are
// too many.
func elementsOf(shape []int) []float64 {
	count, ok := tensor.Count(shape)
	if !ok || count > partsValues {
		return nil
	}
	values, strides := make([]float64, count), tensor.Strides(shape)
	for i := range values {
		seed := uint64(1)
		for d, stride := range strides {
			seed = seed*4099 + uint64(i/stride%shape[d])
		}
		values[i] = float64(float32(rand.New(rand.NewPCG(seed, randomStream)).Float64()))
	}
	return values
}

// batchOfOne gives open axes beside that of the instances length 1: they hold a batch of one bag.
func batchOfOne(shape []int, axis int) {
	for d, size := range shape {
		if size < 0 && d != axis {
			shape[d] = 1
		}
	}
}
