// Package graph resolves the names of a decoded model, finds each node's operator and computes what
// is constant.
package graph

import (
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Graph is a model whose tensors are numbered. Nodes are in an order in which they can run.
type Graph struct {
	Values  []Value
	Nodes   []Node
	Inputs  []Port // those that a caller must provide
	Outputs []Port
	Opset   int

	operators []string   // sorted, those of graphs inside of nodes too
	packs     *ops.Packs // of constant factors, for nodes that are built again
	folder    *folder
}

// A Value is a tensor's place in the graph.
type Value struct {
	Name     string
	Const    *tensor.Tensor // when it is the same in every run and known
	Producer int            // node, -1 for inputs and initializers

	// what the file calls a value of 16-bit floats that is held as float32, else Undefined
	half tensor.Type
}

// A Node is one operator at work.
type Node struct {
	ops.Node
	Name string
	Row  *ops.Row
	Func ops.Func
	In   []int // values, -1 where an optional input is omitted
	Out  []int // values, -1 where nobody reads an output

	bodies []*body
}

// A Port is a graph input or output.
type Port struct {
	decode.Value
	ID int
}

// IDs returns the IDs of inputs or outputs, in their order.
func IDs(ports []Port) []int {
	var ids []int
	for _, p := range ports {
		ids = append(ids, p.ID)
	}
	return ids
}

// missing is the number of an omitted input or an unread output.
const missing = -1

// New builds the graph of a model. Limits bound the memory in which constants are computed.
func New(m *decode.Model, l machine.Limits) (*Graph, error) {
	opset, err := check(m)
	if err != nil {
		return nil, err
	}
	b := &builder{g: &Graph{Opset: opset, packs: ops.NewPacks(), folder: newFolder(l)},
		names: map[string]int{}, graph: m.Graph, opsets: map[string]int{},
		gaps: &fault.Unsupported{}}
	for _, o := range m.Opsets {
		b.opsets[o.Domain] = int(o.Version)
	}
	if err := b.number(); err != nil {
		return nil, err
	}
	if err := b.functions(); err != nil {
		return nil, err
	}
	if len(b.gaps.Nodes) > 0 {
		return nil, b.gaps
	}
	return b.g, nil
}

// check looks at what concerns the model as a whole and returns the version of the default operator
// set.
func check(m *decode.Model) (int, error) {
	opset := int64(0)
	for _, o := range m.Opsets {
		if o.Domain == "" {
			opset = o.Version
		}
	}
	switch {
	case opset == 0 && len(m.Opsets) == 0:
		return 0, fault.Formatf("model", "it imports no operator set")
	case opset < 0 || opset > 1<<20:
		return 0, fault.Formatf("model", "operator set version %d cannot exist", opset)
	}
	return int(opset), nil
}

type builder struct {
	g      *Graph
	graph  *decode.Graph
	names  map[string]int
	opsets map[string]int
	gaps   *fault.Unsupported // of this graph and those inside and around it
	around *builder           // of the graph around this one, nil for the outermost
	within string             // the node that holds this graph, for names
	read   []capture
}

// number gives all values of the graph their numbers.
func (b *builder) number() error {
	if b.graph.Sparse > 0 {
		b.gaps.Nodes = append(b.gaps.Nodes, fault.Node{Node: "sparse initializers" + b.of(),
			Reason: "this engine holds dense tensors; export the weights densely"})
	}
	for _, f := range []func() error{b.values, b.nodes, b.outputs} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// of says in which node this graph lies.
func (b *builder) of() string {
	if b.within == "" {
		return ""
	}
	return " of " + strconv.Quote(b.within)
}

// define gives a name its number.
func (b *builder) define(name string, v Value, offset int) (int, error) {
	if name == "" {
		return 0, &fault.Format{Offset: offset, What: "graph", Reason: "a tensor has no name"}
	}
	if _, ok := b.names[name]; ok {
		return 0, &fault.Format{Offset: offset, What: "tensor " + strconv.Quote(name),
			Reason: "it is defined twice"}
	}
	id := len(b.g.Values)
	v.Name = name
	b.g.Values = append(b.g.Values, v)
	b.names[name] = id
	return id, nil
}

// values numbers initializers and inputs. An input with an initializer has a default and is a
// constant.
func (b *builder) values() error {
	for _, t := range b.graph.Initializers {
		if _, err := b.define(t.Name, Value{Const: t.Tensor, Producer: -1, half: t.Tensor.Half},
			t.Offset); err != nil {
			return err
		}
	}
	for _, in := range b.graph.Inputs {
		if _, ok := b.names[in.Name]; ok {
			continue
		}
		v := Value{Producer: -1}
		if in.Type.Runtime() != in.Type {
			v.half = in.Type
		}
		id, err := b.define(in.Name, v, in.Offset)
		if err != nil {
			return err
		}
		b.g.Inputs = append(b.g.Inputs, Port{in, id})
	}
	return nil
}

// nodes numbers the outputs of nodes, checks that inputs come before them and collects what cannot
// run.
func (b *builder) nodes() error {
	for i := range b.graph.Nodes {
		d := &b.graph.Nodes[i]
		n := Node{Name: d.Name, Node: ops.Node{Op: d.Op, Opset: b.opsets[d.Domain],
			Inputs: len(d.Inputs), Outputs: len(d.Outputs), Attributes: d.Attributes}}
		if d.Opset > 0 && d.Opset < 1<<20 {
			n.Opset = int(d.Opset)
		}
		if n.Name == "" {
			n.Name = fmt.Sprintf("#%d", i)
		}
		n.Name = b.within + n.Name
		n.Row = ops.Lookup(d.Domain, d.Op)
		if reason := n.gap(d); reason != "" {
			b.gaps.Nodes = append(b.gaps.Nodes,
				fault.Node{Node: n.Name, Op: d.Op, Domain: d.Domain, Opset: n.Opset,
					Reason: reason})
			n.Row = nil
		} else if err := n.arity(d); err != nil {
			return err
		}
		for _, name := range d.Inputs {
			id, ok := b.lookup(name)
			if !ok {
				return &fault.Format{Offset: d.Offset, What: n.what(), Reason: b.dangling(name)}
			}
			n.In = append(n.In, id)
		}
		if err := b.bodies(&n, d); err != nil {
			return err
		}
		half := b.half(&n)
		for _, name := range d.Outputs {
			id := missing
			if name != "" {
				var err error
				if id, err = b.define(name, Value{Producer: i, half: half}, d.Offset); err != nil {
					return err
				}
			}
			n.Out = append(n.Out, id)
		}
		b.g.Nodes = append(b.g.Nodes, n)
	}
	return nil
}

func (n *Node) what() string { return fmt.Sprintf("node %q (%s)", n.Name, n.Op) }

// dangling says why a name that a node reads is not known yet.
func (b *builder) dangling(name string) string {
	for _, d := range b.graph.Nodes {
		for _, out := range d.Outputs {
			if out == name {
				return fmt.Sprintf("it reads %q before node %q has made it: the nodes form a "+
					"cycle or stand in the wrong order", name, d.Name)
			}
		}
	}
	return fmt.Sprintf("it reads %q, which nothing makes", name)
}

// random are the operators that draw random numbers.
var random = map[string]bool{"RandomNormal": true, "RandomNormalLike": true, "RandomUniform": true,
	"RandomUniformLike": true, "Multinomial": true, "Bernoulli": true}

// gap says why the engine does not know the operator, or "".
func (n *Node) gap(d *decode.Node) string {
	switch {
	case n.Row == nil && d.Gap != "":
		return d.Gap
	case n.Row == nil && d.Domain != "":
		return "this engine runs the default domain ai.onnx, and of others only what is short " +
			"for some of it: linear models, scalers and trees of ai.onnx.ml, quantised layers of " +
			"com.microsoft; export the model without custom operators"
	case n.Row == nil && random[d.Op]:
		return "the model draws random numbers, so that its scores differ from run to run; " +
			"export it in inference mode (in PyTorch: model.eval()), or without that layer"
	case n.Row == nil:
		return "this engine does not know the operator; export the model with simpler layers, or " +
			"ask for the operator to be added"
	case n.Opset < ops.Oldest && !n.Row.SameInOldest(n.Opset):
		return fmt.Sprintf("this engine knows the operator as it is from opset %d on; convert "+
			"the model, in Python: onnx.version_converter.convert_version(model, 13)", ops.Oldest)
	case n.Opset < n.Row.Since[0]:
		return fmt.Sprintf(
			"the operator exists from opset %d on; export the model with that opset or a newer one",
			n.Row.Since[0])
	}
	for _, a := range d.Attributes {
		if a.Kind == decode.KindGraph && !(n.Row.Kind == ops.Control) ||
			a.Kind == decode.KindGraphs {
			return "this engine runs no graphs inside of nodes but those of If, Loop and Scan; " +
				"export the model without other control flow"
		}
	}
	return ""
}

// arity checks the numbers of inputs and outputs.
func (n *Node) arity(d *decode.Node) error {
	r := n.Row
	if in := len(d.Inputs); in < r.Min || r.Max >= 0 && in > r.Max {
		return &fault.Format{Offset: d.Offset, What: n.what(),
			Reason: fmt.Sprintf("it has %d inputs, and the operator takes %s", in,
				span(r.Min, r.Max))}
	}
	for i, in := range d.Inputs {
		if in == "" && !r.MayOmit(i) {
			return &fault.Format{Offset: d.Offset, What: n.what(),
				Reason: fmt.Sprintf("input %d is omitted and not optional", i)}
		}
	}
	if out := len(d.Outputs); out < 1 || r.Outputs >= 0 && out > r.Outputs {
		return &fault.Format{Offset: d.Offset, What: n.what(),
			Reason: fmt.Sprintf("it has %d outputs, and the operator makes %s", out,
				span(1, r.Outputs))}
	}
	return nil
}

func span(low, high int) string {
	switch {
	case high < 0:
		return fmt.Sprintf("at least %d", low)
	case low == high:
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func (b *builder) outputs() error {
	if len(b.graph.Outputs) == 0 {
		return fault.Formatf("graph", "it has no outputs")
	}
	seen := map[string]bool{}
	for _, out := range b.graph.Outputs {
		id, ok := b.lookup(out.Name)
		if seen[out.Name] {
			return &fault.Format{Offset: out.Offset, What: "graph",
				Reason: fmt.Sprintf("it names its output %q twice", out.Name)}
		}
		seen[out.Name] = true
		if !ok || id == missing {
			return &fault.Format{Offset: out.Offset, What: "graph",
				Reason: fmt.Sprintf("nothing makes its output %q", out.Name)}
		}
		b.g.Outputs = append(b.g.Outputs, Port{out, id})
	}
	return nil
}

// functions builds the function of each node that the engine knows, and computes those whose inputs
// are all constant.
func (b *builder) functions() error {
	for i := range b.g.Nodes {
		n := &b.g.Nodes[i]
		if n.Row == nil {
			continue
		}
		if err := b.finishBodies(n); err != nil {
			return err
		}
		gap, broken := b.g.Build(n)
		if broken != nil {
			return fault.Formatf(n.what(), "%v", broken)
		}
		if gap != nil {
			b.gaps.Nodes = append(b.gaps.Nodes,
				fault.Node{Node: n.Name, Op: n.Op, Opset: n.Opset, Reason: gap.Error()})
			continue
		}
		if len(b.gaps.Nodes) == 0 { // a body with a gap cannot run
			b.g.Fold(n)
		}
	}
	return nil
}

// Has reports whether the graph has values of all of these IDs.
func (g *Graph) Has(ids ...int) bool {
	for _, id := range ids {
		if id < 0 || id >= len(g.Values) {
			return false
		}
	}
	return true
}
