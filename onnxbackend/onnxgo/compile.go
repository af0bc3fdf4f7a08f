package onnxgo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	gorgonia "gorgonia.org/tensor"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// compile turns the graph into what a decoder of the engine's own would have read.
func (g *Graph) compile() (*program, error) {
	m := &decode.Model{Opsets: []decode.Opset{{Version: int64(g.Opset)}},
		Graph: &decode.Graph{Name: "onnx-go"}}
	if g.Opset == 0 {
		m.Opsets[0].Version = DefaultOpset
	}
	p := &program{}
	if err := g.leaves(m.Graph, p); err != nil {
		return nil, err
	}
	if err := g.steps(m.Graph); err != nil {
		return nil, err
	}
	g.ends(m.Graph, p)
	l := g.limits()
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
		return nil, errors.New("onnxgo: an output needs a value that nothing gives")
	}
	p.runner = plan.NewRunner(steps, l)
	return p, nil
}

// limits are the bounds of a run with the defaults of package onnxbackend.
func (g *Graph) limits() machine.Limits {
	or := func(v, usual int) int {
		if v <= 0 {
			return usual
		}
		return v
	}
	l := g.Limits
	return machine.Limits{Elements: or(l.Elements, 1<<28), Bytes: or(l.RunBytes, 2<<30),
		Trips: or(l.LoopTrips, 1_000_000), Work: or(l.Work, 1<<44)}
}

// label is the name under which the engine knows a node: names of files need not be unique here,
// and "" is a value that is left out.
func (n *Node) label() string {
	if n.name == "" || n.value == nil && !n.made && !n.given {
		return ""
	}
	return fmt.Sprintf("%s#%d", n.name, n.id)
}

// leaves adds what no operation makes: constants, and what each run is given.
func (g *Graph) leaves(to *decode.Graph, p *program) error {
	front := true // inputs come first, then what is told of other values, among them the outputs
	for _, n := range g.nodes {
		label := n.label()
		front = front && !n.made
		switch {
		case n.made || label == "":
		case front && n.told == 1 && !n.given && n.read:
			return fmt.Errorf("onnxgo: input %q has no tensor; set it with SetInput", n.name)
		case n.given:
			typ, err := typeOf(n.value)
			if err != nil {
				return fmt.Errorf("%q: %w", n.name, err)
			}
			p.given = append(p.given, n)
			to.Inputs = append(to.Inputs, decode.Value{Name: label, Type: typ, Offset: -1})
		default:
			t, err := toEngine(n.value)
			if err != nil {
				return fmt.Errorf("%q: %w", n.name, err)
			}
			to.Initializers = append(to.Initializers,
				decode.Named{Name: label, Tensor: t, Offset: -1})
		}
	}
	return nil
}

// steps adds the operations.
func (g *Graph) steps(to *decode.Graph) error {
	for _, o := range g.operations {
		n := decode.Node{Op: o.Name, Offset: -1}
		for _, in := range o.in {
			n.Inputs = append(n.Inputs, in.label())
		}
		for len(n.Inputs) > 0 && n.Inputs[len(n.Inputs)-1] == "" {
			// left out, or invented by the decoder for a node without inputs
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
		slices.SortFunc(n.Attributes, func(a,
			b decode.Attribute) int {
			return strings.Compare(a.Name, b.Name)
		})
		to.Nodes = append(to.Nodes, n)
	}
	return nil
}

// ends adds the outputs: what operations make and none reads, and what the file describes.
func (g *Graph) ends(to *decode.Graph, p *program) {
	for _, n := range g.nodes {
		if n.made && n.name != "" && (n.told > 0 || !n.read) {
			p.results = append(p.results, n)
			to.Outputs = append(to.Outputs, decode.Value{Name: n.label(), Offset: -1})
		}
	}
}

// attribute translates what the decoder makes of an attribute.
func attribute(name string, value any) (decode.Attribute, error) {
	a := decode.Attribute{Name: name, Offset: -1}
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
		return a, fmt.Errorf("attribute %q is of a kind that onnx-go does not decode (%T)", name,
			value)
	}
	return a, nil
}
