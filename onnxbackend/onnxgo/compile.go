package onnxgo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	gorgonia "gorgonia.org/tensor"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/expose"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// noOffset is the offset in a file of what onnx-go decoded.
const noOffset = -1

// compile converts the graph to the model that the engine's own decoder would return, and plans it.
func (g *Graph) compile() (*program, error) {
	m := &decode.Model{Opsets: []decode.Opset{{Version: int64(g.Opset)}},
		Graph: &decode.Graph{Name: "onnx-go"}}
	if g.Opset == 0 {
		m.Opsets[0].Version = DefaultOpset
	}
	p := &program{}
	if err := g.addSources(m.Graph, p); err != nil {
		return nil, err
	}
	if err := g.addNodes(m.Graph); err != nil {
		return nil, err
	}
	g.addOutputs(m.Graph, p)
	_, l := expose.Limits(g.Limits)
	var err error
	if p.graph, err = graph.New(m, l); err != nil {
		return nil, err
	}
	var given, wanted []int
	for _, in := range p.graph.Inputs {
		given = append(given, in.ID)
	}
	for _, out := range p.graph.Outputs {
		wanted = append(wanted, out.ID)
	}
	steps, ok := plan.New(p.graph, given, wanted)
	if !ok {
		return nil, errors.New("onnxgo: an output needs a value that no node computes")
	}
	p.runner = plan.NewRunner(steps, l)
	return p, nil
}

// label returns the name of a value for the engine, or "" for an omitted one. Names of onnx-go need
// not be unique, so that the label has the node's number.
func (n *Node) label() string {
	if n.name == "" || n.value == nil && !n.made && !n.given {
		return ""
	}
	return fmt.Sprintf("%s#%d", n.name, n.id)
}

// addSources adds the values that no operation makes: constants, and the inputs of each run.
func (g *Graph) addSources(to *decode.Graph, p *program) error {
	// The decoder describes inputs first. Later it describes other values, such as outputs.
	inputs := true
	for _, n := range g.nodes {
		label := n.label()
		inputs = inputs && !n.made
		switch {
		case n.made || label == "" || !n.read:
		case inputs && n.described == 1 && !n.given:
			return fmt.Errorf("onnxgo: input %q has no tensor; set it with SetInput", n.name)
		case n.given:
			c, err := conversionOf(n.value)
			if err != nil {
				return fmt.Errorf("%q: %w", n.name, err)
			}
			p.given = append(p.given, n)
			to.Inputs = append(to.Inputs, decode.Value{Name: label, Type: c.typ, Offset: noOffset})
		default:
			t, err := toEngine(n.value)
			if err != nil {
				return fmt.Errorf("%q: %w", n.name, err)
			}
			to.Initializers = append(to.Initializers,
				decode.Named{Name: label, Tensor: t, Offset: noOffset})
		}
	}
	return nil
}

// addNodes adds the operations. Attributes are sorted, so that errors do not depend on the order of
// a map.
func (g *Graph) addNodes(to *decode.Graph) error {
	for _, o := range g.operations {
		n := decode.Node{Op: o.Name, Offset: noOffset}
		for _, in := range o.in {
			n.Inputs = append(n.Inputs, in.label())
		}
		// Inputs at the end may be omitted, or the decoder's own for a node without inputs.
		for len(n.Inputs) > 0 && n.Inputs[len(n.Inputs)-1] == "" {
			n.Inputs = n.Inputs[:len(n.Inputs)-1]
		}
		for _, out := range o.out {
			n.Outputs = append(n.Outputs, out.label())
		}
		for name, value := range o.Attributes {
			a, err := attribute(name, value)
			if err != nil {
				return fmt.Errorf("%s: %w", o.Name, err)
			}
			n.Attributes = append(n.Attributes, a)
		}
		slices.SortFunc(n.Attributes,
			func(a, b decode.Attribute) int { return strings.Compare(a.Name, b.Name) })
		to.Nodes = append(to.Nodes, n)
	}
	return nil
}

// addOutputs adds the outputs: the values that operations make, if no operation reads them or the
// file describes them.
func (g *Graph) addOutputs(to *decode.Graph, p *program) {
	for _, n := range g.nodes {
		if n.made && n.name != "" && (n.described > 0 || !n.read) {
			p.results = append(p.results, n)
			to.Outputs = append(to.Outputs, decode.Value{Name: n.label(), Offset: noOffset})
		}
	}
}

// attribute converts an attribute as onnx-go decodes it.
func attribute(name string, value any) (decode.Attribute, error) {
	a := decode.Attribute{Name: name, Offset: noOffset}
	switch v := value.(type) {
	case float32:
		a.Kind, a.Float = decode.KindFloat, v
	case int64:
		a.Kind, a.Int = decode.KindInt, v
	case string:
		a.Kind, a.String = decode.KindString, v
	case []float32:
		a.Kind, a.Floats = decode.KindFloats, v
	case []int64:
		a.Kind, a.Ints = decode.KindInts, v
	case []string:
		a.Kind, a.Strings = decode.KindStrings, v
	case gorgonia.Tensor:
		t, err := toEngine(v)
		if err != nil {
			return a, fmt.Errorf("attribute %q: %w", name, err)
		}
		a.Kind, a.Tensor = decode.KindTensor, t
	default:
		return a, fmt.Errorf("attribute %q has a kind that onnx-go does not decode (%T)", name,
			value)
	}
	return a, nil
}
