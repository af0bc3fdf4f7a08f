package signature

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// A Signature states what the inputs and outputs of a model mean. It is safe for concurrent use.
type Signature struct {
	card    *Card        // the merged card
	input   Input        // the input that takes the bag
	outputs []graph.Port // all outputs, in the order of the file
	// the inputs that take relations of the bag's instances
	relations  []Relation
	covariates []Covariate    // the inputs that take covariates of the bag
	graph      *Graph         // nil for a model that a server runs
	limits     machine.Limits // limits of runs on random bags

	classes atomic.Pointer[ClassOutput] // nil until a bag shows which output has the class scores

	pixels sync.Once // finds fit
	fit    pixelFit
}

// A Graph is what the decisions read of a model file. How scores end is read from the file's nodes,
// because the passes fuse some. Random bags run on the rewritten nodes, which are faster.
type Graph struct {
	File       *graph.Graph  // the nodes as the file connects them, without constants
	Run        *graph.Graph  // the nodes that run, after the passes; values have the same IDs
	Program    *plan.Program // steps from the bag to all outputs
	Regressor  string        // see decode.Model
	Relations  []Relation    // the inputs that take relations of instances
	Covariates []Covariate   // the inputs that take covariates of the bag
	Front      *graph.Front  // the file's nodes up to the first layer with weights, or nil
}

// New decides what it can without a bag. Errors are a *fault.Format if the card contradicts the
// graph, and a *fault.Unsupported if no output can have class scores.
func New(
	card *Card, input Input, outputs []graph.Port, g *Graph, limits machine.Limits,
) (*Signature, error) {
	s, err := NewEncoder(card, input, outputs, g, limits)
	if err != nil {
		return nil, err
	}
	s.findAxisByRuns()
	s.noteFixedCount()
	return s, s.findClassOutput()
}

// NewEncoder is New for a model that turns each instance into features: no output has class scores.
// Errors are a *fault.Format if the card contradicts the graph.
func NewEncoder(
	card *Card, input Input, outputs []graph.Port, g *Graph, limits machine.Limits,
) (*Signature, error) {
	s := &Signature{card: card, input: input, outputs: outputs, graph: g, limits: limits}
	if g != nil {
		s.relations, s.covariates = g.Relations, g.Covariates
	}
	return s, s.checkCard()
}

// checkCard returns a *fault.Format if the card names an output that the graph does not have.
func (s *Signature) checkCard() error {
	for _, name := range []string{s.card.scoresName(), s.card.Inherent} {
		if name != "" && s.output(name) < 0 {
			return fault.Formatf("model card",
				"the graph has no output %q; it has %s", name, s.outputNames(nil))
		}
	}
	return nil
}

// Card returns the merged card.
func (s *Signature) Card() *Card { return s.card }

// Input returns the input that takes the bag.
func (s *Signature) Input() *Input { return &s.input }

// Outputs returns the outputs of the model.
func (s *Signature) Outputs() []graph.Port { return s.outputs }

// ClassOutput returns the output with the class scores, nil until it is known.
func (s *Signature) ClassOutput() *ClassOutput { return s.classes.Load() }

// Describe fills in the fields of info that a signature decides, and appends the notes of the class
// output.
func (s *Signature) Describe(info *core.ModelInfo) {
	info.Input, info.InstanceAxis = s.input.Name, s.input.Axis
	info.Classes, info.Truth, info.Inherent = s.card.Classes, s.card.Truth, s.card.Inherent
	info.Negative, info.Noun, info.FeatureNames = -1, s.card.Noun, s.card.Features
	for _, c := range s.covariates {
		info.Covariates = append(info.Covariates,
			core.CovariateInput{Name: c.Name, Size: c.Size(), Default: slices.Clone(c.Default)})
	}
	if c := s.classes.Load(); c != nil {
		info.Output, info.Classes, info.Negative = c.Name, c.Names, c.Negative
		info.Scale, info.ScaleFrom, info.Heads = c.Scale, c.From, c.Heads()
		info.Notes = slices.Concat(info.Notes, c.Notes)
	}
}

// output returns the place of an output, or -1.
func (s *Signature) output(name string) int {
	return slices.IndexFunc(s.outputs, func(p graph.Port) bool { return p.Name == name })
}

// outputNames lists outputs with their shapes. A nil keep keeps all.
func (s *Signature) outputNames(keep func(i int) bool) string {
	var names []string
	for i, p := range s.outputs {
		if keep == nil || keep(i) {
			names = append(names, msg.Sprintf("%q %s", p.Name, ShapeText(&p.Value)))
		}
	}
	return strings.Join(names, ", ")
}
