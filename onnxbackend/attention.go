package onnxbackend

import (
	"context"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// Attention implements core.Attender: the output that the model card names as "inherent", for the whole
// bag. Outputs of shape (k), (k, 1) or (1, k) serve every class; of (k, C) or (C, k) the class's own
// scores are taken, after a softmax over the classes when they are instance logits.
func (b *Bound) Attention(ctx context.Context, class int) (phi []float64, err error) {
	defer rescue(&err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if class < 0 || class >= b.task.Classes {
		return nil, &core.SettingError{Method: "inherent", Setting: "class", Reason: fmt.Sprintf("%d is none of the %d classes", class, b.task.Classes)}
	}
	name := b.m.card.Inherent
	if name == "" {
		return nil, b.noInherent()
	}
	port := b.m.g.Outputs[b.m.output(name)]
	data, err := b.whole[port.ID].Float64s()
	if err != nil {
		return nil, err
	}
	k, c := b.task.Instances, b.task.Classes
	switch len(data) {
	case k:
		if c == k && !b.alone(port) {
			break
		}
		return data, nil
	case k * c:
		axis, ok := b.instancesOf(port)
		if !ok {
			break
		}
		return b.classScores(port, data, axis, class), nil
	}
	return nil, &core.UnavailableError{Method: "inherent", Reason: fmt.Sprintf("output %q has shape %v for %d instances and %d classes, and is neither one score an instance nor one an instance and class",
		name, b.whole[port.ID].Shape, k, c)}
}

// alone reports whether an output of k = C values has them along the instances, as far as can be told.
func (b *Bound) alone(port graph.Port) bool {
	_, ok := b.instancesOf(port)
	return ok || b.m.dependenceOf(port) != independent
}

// noInherent names the outputs that could be instance scores.
func (b *Bound) noInherent() error {
	k := b.task.Instances
	could := b.m.outputNames(func(p graph.Port) bool {
		n := b.whole[p.ID].Len()
		return p.ID != b.scores.ID && (n == k || n == k*b.task.Classes)
	})
	reason := "the model has no output with scores of its own for the instances"
	if could != "" {
		reason = "the model card names no output with instance scores; these could be it: " + could + `; name one in the model card, as in {"inherent": "NAME"}`
	}
	return &core.UnavailableError{Method: "inherent", Reason: reason}
}

// instancesOf returns the axis of an output along which the instances lie: the one that the file names
// like the input's, else the one the analysis found, else the only one of that size.
func (b *Bound) instancesOf(port graph.Port) (int, bool) {
	shape, k := b.whole[port.ID].Shape, b.task.Instances
	var named, sized []int
	for i, d := range shape {
		if d != k {
			continue
		}
		sized = append(sized, i)
		if name := b.m.bagName(); name != "" && len(port.Names) == len(shape) && port.Names[i] == name {
			named = append(named, i)
		}
	}
	p := b.places[port.ID]
	switch {
	case len(named) == 1:
		return named[0], true
	case p.Class == ops.Instance:
		return p.Axis, true
	case len(sized) == 1 || len(sized) > 1 && k == 1:
		return sized[0], true
	}
	return 0, false
}

// classScores returns the scores of one class out of (k, C) or (C, k) values.
func (b *Bound) classScores(port graph.Port, data []float64, axis, class int) []float64 {
	k, c := b.task.Instances, b.task.Classes
	before := 1
	for _, d := range b.whole[port.ID].Shape[:axis] {
		before *= d
	}
	at := func(i, class int) float64 {
		if before == c && c > 1 { // (C, k)
			return data[class*k+i]
		}
		return data[i*c+class]
	}
	end, _ := b.m.ending(port.ID)
	out := make([]float64, k)
	for i := range out {
		out[i] = at(i, class)
		if end != "" || b.task.Scale != core.ScaleLogits || c == 1 {
			continue
		}
		top, sum := math.Inf(-1), 0.0
		for j := range c {
			top = max(top, at(i, j))
		}
		for j := range c {
			sum += math.Exp(at(i, j) - top)
		}
		out[i] = math.Exp(out[i]-top) / sum
	}
	return out
}
