package onnxbackend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// scores is the output with the class scores and what they mean.
type scores struct {
	graph.Port
	classes  int
	scale    core.Scale
	negative int
	from     string // what the scale was concluded from
	sums     bool   // random bags proved that they sum to 1
	names    []string
	notes    []string
}

// dependence says whether an output's shape follows the number of instances.
type dependence int

const (
	independent dependence = iota // it has the shape of class scores for every bag
	dependent                     // it does not
	unclear                       // the file does not tell
)

// dependenceOf judges an output by its declared shape.
func (m *Model) dependenceOf(p graph.Port) dependence {
	if !p.Type.Float() && p.Type != tensor.Undefined {
		return dependent
	}
	if p.Shape == nil || p.Type == tensor.Undefined {
		return unclear
	}
	result, wide := independent, 0
	for i, d := range p.Shape {
		switch {
		case d < 0 && m.bagName() != "" && p.Names[i] == m.bagName():
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

// bagName is what the file calls the number of instances, "" when it does not tell or when a bag has to
// decide which of several open axes that is.
func (m *Model) bagName() string {
	in := &m.input
	if in.Shape == nil || len(in.dynamic) > 1 && !in.fixed && !in.batched() {
		return ""
	}
	name := m.input.Names[m.input.axis]
	if strings.Contains(strings.ToLower(name), "batch") { // who calls the instances so mostly calls the first side of every output so
		return ""
	}
	return name
}

// findScores decides at opening which output has the class scores, if the file tells enough.
func (m *Model) findScores() error {
	list := m.candidates()
	if len(list) == 0 {
		return fault.Unsupportedf("graph outputs "+m.outputNames(nil), "none of them is real and has one score a class whatever the number of instances along axis %d of input %q; "+
			"name the output with the class scores as \"output_name\" in the model card; %s", m.input.axis, m.input.Name, m.axisWayOut())
	}
	if p := m.g.Outputs[list[0]]; m.dependenceOf(p) == independent {
		s, err := m.newScores(p, p.Shape, m.input.one())
		if s == nil {
			return err // nil where a bag is to decide what the scores are
		}
		m.sayOthers(s, list[1:])
		m.settle(s)
	}
	return nil
}

// sayOthers notes which outputs might have the class scores as well.
func (m *Model) sayOthers(s *scores, list []int) {
	var names []string
	for _, i := range list {
		if p := m.g.Outputs[i]; m.dependenceOf(p) == independent {
			names = append(names, strconv.Quote(p.Name))
		}
	}
	if names != nil {
		s.notes = append(s.notes, fmt.Sprintf("Output %q is taken for the class scores because it comes first; %s might have them too: \"output_name\" in the model card says which one has.", s.Name, strings.Join(names, " and ")))
	}
}

// candidates are the places of the outputs that may have the class scores, in order.
func (m *Model) candidates() []int {
	if name := m.card.OutputName; name != "" {
		return []int{m.output(name)}
	}
	var list []int
	for i, p := range m.g.Outputs {
		if m.dependenceOf(p) != dependent {
			list = append(list, i)
		}
	}
	return list
}

// settle remembers the output with the class scores.
func (m *Model) settle(s *scores) { m.scores.Store(s) }

// maxClasses bounds what is kept of each class, whatever sides the file claims for an output.
const maxClasses = 1 << 16

// newScores describes the class scores in an output of a known shape, for bags that lie in the input as at says, nil
// when that is open. It returns nil where it must be known first.
func (m *Model) newScores(p graph.Port, shape []int, at *place) (*scores, error) {
	n, ok := tensor.Count(shape)
	if !ok || n < 1 {
		return nil, fault.Unsupportedf(fmt.Sprintf("output %q", p.Name), "its shape %v holds no class scores", shape)
	}
	if n > maxClasses {
		return nil, fault.Unsupportedf(fmt.Sprintf("output %q", p.Name), "its shape %v would be scores of %d classes, and this engine explains up to %d", shape, n, maxClasses)
	}
	s := &scores{Port: p, classes: n, negative: -1, names: m.card.Classes}
	if s.names != nil && len(s.names) != n {
		return nil, fault.Formatf("model card", "key \"classes\" names %d classes, and output %q has %d scores", len(s.names), p.Name, n)
	}
	if n > 1 {
		s.negative = 0
	}
	if neg := m.card.Negative; neg != nil {
		if *neg < -1 || *neg >= n {
			return nil, fault.Formatf("model card", "key \"negative\" is %d, and there are %d classes", *neg, n)
		}
		s.negative = *neg
	}
	if t := m.card.Truth; t != nil && len(t) != n {
		return nil, fault.Formatf("model card", "key \"truth\" has %d entries, and output %q has %d scores", len(t), p.Name, n)
	}
	if !m.findScale(s, at) {
		return nil, nil
	}
	if s.names == nil {
		s.names = classNames(n, s.scale)
	}
	return s, nil
}

// positive is the name of the one class of a model that gives P(positive), where the card has none.
const positive = "positive"

// classNames are the names of classes that the card does not name: numbers, but for the probability of one class.
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

// outputNames lists outputs in words; keep may be nil.
func (m *Model) outputNames(keep func(graph.Port) bool) string {
	var names []string
	for _, p := range m.g.Outputs {
		if keep == nil || keep(p) {
			names = append(names, fmt.Sprintf("%q %s", p.Name, signature.ShapeText(&p.Value)))
		}
	}
	return strings.Join(names, ", ")
}

// resolve decides by the shapes of two bags of different sizes which output has the class scores.
func (m *Model) resolve(one, two [][]int, at *place) (*scores, error) {
	for _, i := range m.candidates() {
		p, shape := m.g.Outputs[i], one[i]
		wide := 0
		for _, d := range shape {
			if d != 1 {
				wide++
			}
		}
		if slices.Equal(shape, two[i]) && wide <= 1 {
			return m.newScores(p, shape, at)
		}
	}
	return nil, m.followError()
}
