package signature

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A BagOutput is one output for a whole bag.
type BagOutput struct {
	Shape  []int
	Axis   int                       // axis of the instances, -1 if it is not known
	Values func() ([]float64, error) // returns the values, row-major
}

// Len returns the number of values.
func (o *BagOutput) Len() int {
	n := 1
	for _, d := range o.Shape {
		n *= d
	}
	return n
}

// Inherent returns the model's own scores of the k instances of a bag for a class: the output that
// the model card names as "inherent". Outputs of shape (k), (k, 1) or (1, k) serve every class. Of
// (k, C) or (C, k) the scores of the class are taken, after a softmax over the classes if they are
// instance logits. outputs are in the order of Outputs. Errors are a *core.SettingError for a class
// that does not exist, and a *core.UnavailableError.
func (s *Signature) Inherent(c *ClassOutput, k, class int, outputs []BagOutput) ([]float64, error) {
	if class < 0 || class >= c.Classes {
		return nil, &core.SettingError{
			Method: "inherent", Setting: "class",
			Reason: fmt.Sprintf("%d is none of the %d classes", class, c.Classes),
		}
	}
	if s.card.Inherent == "" {
		return nil, s.noInherent(c, k, outputs)
	}
	in := instanceScores{s: s, c: c, k: k, at: s.output(s.card.Inherent)}
	in.BagOutput = &outputs[in.at]
	data, err := in.Values()
	if err != nil {
		return nil, err
	}
	switch len(data) {
	case k: // k classes for k instances: the values may be one score for each class
		if c.Classes == k && !in.alongInstances() {
			break
		}
		return data, nil
	case k * c.Classes:
		axis, ok := in.axis()
		if !ok {
			break
		}
		return in.of(class, data, axis), nil
	}
	return nil, &core.UnavailableError{Method: "inherent", Reason: msg.Sprintf(
		"output %q has shape %v for %d instances and %d classes, and is neither one score for "+
			"each instance nor one for each instance and class",
		s.card.Inherent, in.Shape, k, c.Classes)}
}

// noInherent names the outputs that could be instance scores.
func (s *Signature) noInherent(c *ClassOutput, k int, outputs []BagOutput) error {
	could := s.outputNames(func(i int) bool {
		n := outputs[i].Len()
		return s.outputs[i].ID != c.ID && (n == k || n == k*c.Classes)
	})
	reason := "the model has no output with scores of its own for the instances"
	if could != "" {
		reason = "the model card names no output with instance scores; these could be it: " +
			could +
			`; name one in the model card, as in {"inherent": "NAME"}`
	}
	return &core.UnavailableError{Method: "inherent", Reason: reason}
}

// instanceScores is the output with instance scores, for a bag of k instances.
type instanceScores struct {
	*BagOutput
	s  *Signature
	c  *ClassOutput
	k  int
	at int // place of the output
}

// alongInstances reports whether an output of k = C values may have one for each instance.
func (in *instanceScores) alongInstances() bool {
	_, ok := in.axis()
	return ok || in.s.dependenceOf(&in.s.outputs[in.at]) != independent
}

// axis returns the axis of the output along which the instances lie: the one that the file names
// like the input's, else the one that the analysis found, else the only one of that length.
func (in *instanceScores) axis() (int, bool) {
	var named, sized []int
	port := &in.s.outputs[in.at]
	for i, d := range in.Shape {
		if d != in.k {
			continue
		}
		sized = append(sized, i)
		name := in.s.instancesName()
		if name != "" && len(port.Names) == len(in.Shape) && port.Names[i] == name {
			named = append(named, i)
		}
	}
	switch {
	case len(named) == 1:
		return named[0], true
	case in.Axis >= 0:
		return in.Axis, true
	case len(sized) == 1 || len(sized) > 1 && in.k == 1:
		return sized[0], true
	}
	return 0, false
}

// of returns the scores of one class out of (k, C) or (C, k) values.
func (in *instanceScores) of(class int, data []float64, axis int) []float64 {
	k, c := in.k, in.c.Classes
	before := 1
	for _, d := range in.Shape[:axis] {
		before *= d
	}
	at := func(i, class int) float64 {
		if before == c && c > 1 { // (C, k)
			return data[class*k+i]
		}
		return data[i*c+class]
	}
	// Scores that come out of a softmax or a sigmoid are no logits any more. The softmax is
	// relative to the largest logit, so that it does not overflow.
	end, _ := in.s.ending(in.s.outputs[in.at].ID)
	out := make([]float64, k)
	for i := range out {
		out[i] = at(i, class)
		if end != "" || in.c.Scale != core.ScaleLogits || c == 1 {
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
