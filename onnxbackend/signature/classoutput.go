package signature

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A ClassOutput is the output with the class scores, and what they mean.
type ClassOutput struct {
	graph.Port
	Classes  int
	Scale    core.Scale
	Negative int      // the class that means "nothing found", -1 for none
	From     string   // the reason for the scale
	Names    []string // names of the classes
	Notes    []string // what was assumed, in sentences

	sums     bool        // random bags proved that the scores sum to 1
	heads    []core.Head // heads of the card's answer, or one with the unit of percentages
	readouts []*readout  // what the card's answer reads, nil without one
	raw      int         // number of the graph's scores, with readouts
}

// note appends a note.
func (c *ClassOutput) note(format string, args ...any) {
	c.Notes = append(c.Notes, msg.Sprintf(format, args...))
}

// Task returns the task of an evaluator of a bag of k instances.
func (c *ClassOutput) Task(k int) core.Task {
	return core.Task{Instances: k, Classes: c.Classes, Scale: c.Scale, Negative: c.Negative}
}

// dependence says whether an output's shape follows the number of instances.
type dependence int

// Answers of dependenceOf.
const (
	independent dependence = iota // it has the shape of class scores for every bag
	dependent                     // it does not
	unclear                       // the file does not declare it
)

// dependenceOf judges an output by its declared type and shape. Class scores are real, and have at
// most one axis longer than 1.
func (s *Signature) dependenceOf(p *graph.Port) dependence {
	if !p.Type.Float() && p.Type != tensor.Undefined {
		return dependent
	}
	if p.Shape == nil || p.Type == tensor.Undefined {
		return unclear
	}
	result, wide, name := independent, 0, s.instancesName() // wide counts axes longer than 1
	for i, d := range p.Shape {
		switch {
		case d < 0 && name != "" && p.Names[i] == name:
			return dependent
		case d < 0:
			result = unclear
		case d != 1:
			wide++
		}
	}
	if wide > 1 {
		return dependent
	}
	return result
}

// instancesName is the name of the axis of instances in the file. It is "" if the file has none, or
// if a bag has to decide which of several open axes holds the instances.
func (s *Signature) instancesName() string {
	in := &s.input
	if in.Shape == nil || len(in.dynamic) > 1 && !in.fixed && !in.batched() {
		return ""
	}
	name := in.Names[in.Axis]
	if strings.Contains(strings.ToLower(name), "batch") {
		// Exporters that use this name for the instances mostly use it for the first axis of every
		// output too, so that it shows nothing.
		return ""
	}
	return name
}

// findClassOutput decides which output has the class scores, if the declared shapes suffice.
func (s *Signature) findClassOutput() error {
	list := s.candidates()
	if len(list) == 0 {
		return s.unpooled("graph outputs "+s.outputNames(nil),
			"none of them is real and has one score for each class whatever the number of "+
				"instances along axis %d of input %q; if one has, although the file declares its "+
				"shape otherwise, name it as \"output_name\" in the model card",
			s.input.Axis, s.input.Name)
	}
	if p := &s.outputs[list[0]]; s.dependenceOf(p) == independent {
		c, err := s.newClassOutput(*p, p.Shape, s.input.one())
		if c == nil {
			return err // nil if the scale needs a bag
		}
		s.noteOthers(c, list[1:])
		s.classes.Store(c)
	}
	return nil
}

// noteOthers notes which other outputs may have the class scores.
func (s *Signature) noteOthers(c *ClassOutput, list []int) {
	var names []string
	for _, i := range list {
		if p := &s.outputs[i]; s.dependenceOf(p) == independent {
			names = append(names, msg.Quoted(p.Name))
		}
	}
	if names != nil {
		c.note(
			"Output %q is taken for the class scores because it comes first; %s might have them "+
				"too: \"output_name\" in the model card says which one has.",
			c.Name, strings.Join(names, " and "))
	}
}

// candidates returns the places of the outputs that may have the class scores, in order.
func (s *Signature) candidates() []int {
	if name := s.card.scoresName(); name != "" {
		return []int{s.output(name)}
	}
	var list []int
	for i := range s.outputs {
		if s.dependenceOf(&s.outputs[i]) != dependent {
			list = append(list, i)
		}
	}
	return list
}

// Resolve decides by the shapes of all outputs for two bags of different sizes which output has the
// class scores: the first candidate whose shape is the same for both and has at most one axis
// longer than 1. at is how the first bag lies in the input, nil for a model without a graph. Errors
// are a *fault.Unsupported if no output qualifies, and a *fault.Format if the card contradicts it.
func (s *Signature) Resolve(one, two [][]int, at *Layout) (*ClassOutput, error) {
	for _, i := range s.candidates() {
		shape, wide := one[i], 0
		for _, d := range shape {
			if d != 1 {
				wide++
			}
		}
		if slices.Equal(shape, two[i]) && wide <= 1 {
			c, err := s.newClassOutput(s.outputs[i], shape, at)
			if err == nil {
				s.classes.Store(c)
			}
			return c, err
		}
	}
	return nil, s.unpooled("graph outputs "+s.outputNames(nil), "the shape of each of them "+
		"follows the number of instances along axis %d of input %q, so that none has the class "+
		"scores", s.input.Axis, s.input.Name)
}

// CheckCount rejects a shape of the class output with another number of scores than the file
// declares. k is the number of instances of the bag.
func (s *Signature) CheckCount(c *ClassOutput, shape []int, k int) error {
	if n, _ := tensor.Count(shape); n == c.Raw() {
		return nil
	}
	return s.unpooled(msg.Sprintf("output %q", c.Name), "the file declares %d scores, and for a "+
		"bag of %d instances along axis %d of input %q it has shape %v", c.Raw(), k, s.input.Axis,
		s.input.Name, shape)
}

// maxClasses bounds the classes, whatever shape the file declares for an output.
const maxClasses = 1 << 16

// newClassOutput describes class scores of a known shape, for bags that lie in the input as at
// says. at is nil if that is open. The result is nil without an error if the scale needs a bag.
func (s *Signature) newClassOutput(p graph.Port, shape []int, at *Layout) (*ClassOutput, error) {
	where := msg.Sprintf("output %q", p.Name)
	n, ok := tensor.Count(shape)
	if !ok || n < 1 {
		return nil, fault.Unsupportedf(where, "its shape %v holds no class scores", shape)
	}
	if n > maxClasses {
		return nil, fault.Unsupportedf(where,
			"its shape %v would be scores of %d classes, and this engine explains up to %d",
			shape, n, maxClasses)
	}
	c := &ClassOutput{Port: p, Classes: n, Negative: -1, Names: s.card.Classes}
	if s.card.besides && len(c.Names) != n {
		c.Notes = append(c.Notes, msg.Sprintf("The configuration beside the model names %d "+
			"classes, and the model has %d scores, so that the names are not used.",
			len(c.Names), n))
		c.Names = nil
	}
	if s.card.Answer != nil {
		if err := s.readouts(c, n); err != nil {
			return nil, err
		}
		return c, nil
	}
	if c.Names != nil && len(c.Names) != n {
		return nil, fault.Formatf("model card",
			"key \"classes\" names %d classes, and output %q has "+
				"%d scores",
			len(c.Names), p.Name, n)
	}
	if s.card.target != nil || s.card.Output == embedding {
		if err := s.vector(c, n); err != nil {
			return nil, err
		}
		return c, nil
	}
	if n > 1 { // convention: class 0 of several is the negative one
		c.Negative = 0
	}
	if negative := s.card.Negative; negative != nil {
		if *negative < -1 || *negative >= n {
			return nil, fault.Formatf("model card",
				"key \"negative\" is %d, and there are %d classes", *negative, n)
		}
		c.Negative = *negative
	}
	if t := s.card.Truth; t != nil && len(t) != n {
		return nil, fault.Formatf("model card",
			"key \"truth\" has %d entries, and output %q has %d "+
				"scores",
			len(t), p.Name, n)
	}
	if !s.findScale(c, at) {
		return nil, nil
	}
	if c.Names == nil {
		c.Names = classNames(n, c.Scale)
	}
	return c, nil
}

// positive is the name of the one class of a model that returns P(positive), if the card has none.
const positive = "positive"

// classNames names classes that the card does not name: numbers, except the probability of one
// class.
func classNames(n int, scale core.Scale) []string {
	if n == 1 && scale != core.ScaleRaw {
		return []string{positive}
	}
	var names []string
	for c := range n {
		names = append(names, strconv.Itoa(c))
	}
	return names
}
