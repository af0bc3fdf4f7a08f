package graph

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Graph is a model whose values are numbered: indices of Values. Nodes are in an order in which
// they can run.
type Graph struct {
	Values  []Value
	Nodes   []Node
	Inputs  []Port // inputs without a default, which a caller must provide
	Outputs []Port
	Opset   int // version of the default operator set

	operators []string       // sorted; set in outlines, whose nodes have no bodies
	packs     *compute.Packs // packed constant factors, for nodes that are built again
	folder    *folder
}

// A Value is a tensor of the graph.
type Value struct {
	Name     string
	Const    *tensor.Tensor // the value if it is the same in every run, else nil
	Producer int            // node, -1 for inputs and constants

	half tensor.Type // 16-bit type in the file of a value that is stored as float32, or Undefined
}

// A Node applies one operator.
type Node struct {
	ops.Node
	Name string
	Func compute.Func
	In   []int // values, -1 for omitted optional inputs
	Out  []int // values, -1 for unread outputs

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

// New builds the graph of a model. Limits bound the memory in which constants are computed. Errors
// are *fault.Format for an invalid model and *fault.Unsupported, which lists all nodes that the
// engine cannot run.
func New(m *decode.Model, l machine.Limits) (*Graph, error) {
	opset, err := check(m)
	if err != nil {
		return nil, err
	}
	b := &builder{g: &Graph{Opset: opset, packs: compute.NewPacks(l.Memory), folder: newFolder(l)},
		names: map[string]int{}, graph: m.Graph, opsets: map[string]int{},
		gaps: &fault.Unsupported{}}
	for _, o := range m.Opsets {
		b.opsets[o.Domain] = int(o.Version)
	}
	// Numbers first: a body may capture any value before its node.
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

// check returns the version of the default operator set. A model that imports only other domains
// has version 0.
func check(m *decode.Model) (int, error) {
	// Files may list the default domain several times; the last version counts.
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

// A builder builds the graph of a model or of a body.
type builder struct {
	g      *Graph
	graph  *decode.Graph
	names  map[string]int     // name to number of a value
	opsets map[string]int     // domain to version
	gaps   *fault.Unsupported // shared by the builders of a model
	around *builder           // builder of the graph around this one, nil for the model's graph
	within string             // prefix of node names in a body
	read   []capture
}

// number numbers all values of the graph.
func (b *builder) number() error {
	for _, f := range []func() error{b.values, b.nodes, b.outputs} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// define appends a value and returns its number. offset is the position in the file, for errors.
func (b *builder) define(name string, v Value, offset int) (int, error) {
	if name == "" {
		return 0, &fault.Format{Offset: offset, What: "graph", Reason: "a tensor has no name"}
	}
	if _, ok := b.names[name]; ok {
		return 0, &fault.Format{Offset: offset, What: "tensor " + msg.Quoted(name),
			Reason: "it is defined twice"}
	}
	id := len(b.g.Values)
	v.Name = name
	b.g.Values = append(b.g.Values, v)
	b.names[name] = id
	return id, nil
}

// values numbers initializers and inputs. An input that is also an initializer has a default value;
// the engine uses this value as a constant.
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
		// The engine converts inputs of 16-bit floats to float32.
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

// nodes numbers the outputs of nodes in an order in which they can run, and checks that their
// inputs are defined before. It collects nodes that the engine cannot run.
func (b *builder) nodes() error {
	for i, at := range runOrder(b.graph) {
		d := &b.graph.Nodes[at]
		n := Node{Name: d.Name}
		n.Op, n.Opset, n.Attributes = d.Op, b.opsets[d.Domain], d.Attributes
		n.Inputs, n.Outputs = len(d.Inputs), len(d.Outputs)
		// Nodes of an inlined function have the function's opset.
		if d.Opset > 0 && d.Opset < 1<<20 {
			n.Opset = int(d.Opset)
		}
		if n.Name == "" {
			n.Name = "#" + strconv.Itoa(at)
		}
		n.Name = b.within + n.Name
		// A node that cannot run gets no row, but its values are numbered to check the rest.
		n.Row = ops.Lookup(d.Domain, d.Op)
		if reason := n.gap(d); reason != "" {
			b.gaps.Nodes = append(b.gaps.Nodes,
				fault.Node{Node: n.Name, Op: d.Op, Domain: d.Domain, Opset: n.Opset,
					Reason: reason})
			n.Row = nil
		} else if err := n.arity(d); err != nil {
			return err
		} else if err := b.attributes(&n, d); err != nil {
			return err
		}
		for _, name := range d.Inputs {
			id, ok := b.lookup(name)
			if !ok {
				return &fault.Format{Offset: d.Offset, What: n.What(), Reason: b.dangling(name)}
			}
			n.In = append(n.In, id)
		}
		// Bodies append captured values to the inputs.
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

// What names a node in errors.
func (n *Node) What() string { return msg.Sprintf("node %q (%s)", n.Name, n.Op) }

// dangling returns the reason why a name is undefined: a node behind computes it, or none does.
func (b *builder) dangling(name string) string {
	for _, d := range b.graph.Nodes {
		for _, out := range d.Outputs {
			if out == name {
				return msg.Sprintf("it reads %q before node %q computes it, and no other order "+
					"of the nodes is right: some form a cycle", name, d.Name)
			}
		}
	}
	return msg.Sprintf("it reads %q, which no node computes", name)
}

// random has the operators that draw random numbers. They have a message of their own, because the
// usual cause is a model exported in training mode.
var random = map[string]bool{"RandomNormal": true, "RandomNormalLike": true, "RandomUniform": true,
	"RandomUniformLike": true, "Multinomial": true, "Bernoulli": true}

// savedAgain returns the command that optimises a file up to a level.
func savedAgain(level string) string {
	return ": python3 -c \"import onnxruntime as o; s=o.SessionOptions(); " +
		"s.graph_optimization_level=o.GraphOptimizationLevel.ORT_ENABLE_" + level +
		"; s.optimized_model_filepath='model.onnx'; o.InferenceSession('FILE', s)\""
}

// gap returns the reason why the engine cannot run the node, with what the user can do, or "".
func (n *Node) gap(d *decode.Node) string {
	switch {
	case d.Gap != "":
		return d.Gap
	case n.Row == nil && strings.HasPrefix(d.Domain, "com.microsoft.nch"):
		return "ONNX Runtime has laid out this file for one processor; optimise the file from " +
			"before only up to the level extended" + savedAgain("EXTENDED")
	case n.Row == nil && strings.HasPrefix(d.Domain, "com.microsoft"):
		return "the operator is ONNX Runtime's own, and this engine does not know it; use the " +
			"file from before it was optimised, or optimise it only up to the level basic" +
			savedAgain("BASIC")
	case n.Row == nil && d.Domain != "":
		return "this engine runs the default domain ai.onnx, and of other domains only linear " +
			"models, scalers, trees and support vector machines of ai.onnx.ml; export the model " +
			"without custom operators"
	case n.Row == nil && random[d.Op]:
		return "the model draws random numbers, so that its scores differ from run to run; " +
			"export it in inference mode (in PyTorch: model.eval()), or without that layer"
	case n.Row == nil:
		return "this engine does not know the operator; export the model with simpler layers, or " +
			"request the operator"
	case n.Opset < ops.Oldest && !n.Row.SameInOldest(n.Opset):
		return fmt.Sprintf("this engine supports the operator from opset %d on; convert "+
			"the model, in Python: onnx.version_converter.convert_version(model, 13)", ops.Oldest)
	case n.Opset < n.Row.Since[0]:
		return fmt.Sprintf(
			"the operator exists from opset %d on; export the model with that opset or a newer one",
			n.Row.Since[0])
	}
	// A graph as an attribute is code, which only the rows of control flow run.
	for _, a := range d.Attributes {
		if a.Kind == decode.KindGraph && n.Row.Kind != ops.Control || a.Kind == decode.KindGraphs {
			return "this engine runs graphs inside of nodes only for If, Loop and Scan; export " +
				"the model without other control flow"
		}
	}
	return ""
}

// attributes checks the attributes of a node. What is wrong with one of an operator set newer than
// the table may be right there, so it is a gap of the engine.
func (b *builder) attributes(n *Node, d *decode.Node) error {
	err := n.Row.CheckAttributes(&n.Node)
	switch {
	case err == nil:
		return nil
	case n.Opset <= ops.Newest:
		return &fault.Format{Offset: d.Offset, What: n.What(), Reason: err.Error()}
	}
	b.gaps.Nodes = append(b.gaps.Nodes, fault.Node{Node: n.Name, Op: d.Op, Opset: n.Opset,
		Reason: msg.Sprintf("%v; this engine knows operators up to opset %d, so export the "+
			"model with that opset", err, ops.Newest)})
	n.Row = nil
	return nil
}

// arity checks the numbers of inputs and outputs.
func (n *Node) arity(d *decode.Node) error {
	r := n.Row
	if in := len(d.Inputs); in < r.Min || r.Max >= 0 && in > r.Max {
		return &fault.Format{Offset: d.Offset, What: n.What(),
			Reason: msg.Sprintf("it has %d inputs, but the operator has %s", in,
				span(r.Min, r.Max))}
	}
	// Only some inputs of an operator may be omitted by an empty name.
	for i, in := range d.Inputs {
		if in == "" && !r.MayOmit(i) {
			return &fault.Format{Offset: d.Offset, What: n.What(),
				Reason: fmt.Sprintf("input %d is omitted but not optional", i)}
		}
	}
	if out := len(d.Outputs); out < 1 || r.Outputs >= 0 && out > r.Outputs {
		return &fault.Format{Offset: d.Offset, What: n.What(),
			Reason: msg.Sprintf("it has %d outputs, but the operator has %s", out,
				span(1, r.Outputs))}
	}
	return nil
}

// span describes a range of counts; high is negative if there is no limit.
func span(low, high int) string {
	switch {
	case high < 0:
		return fmt.Sprintf("at least %d", low)
	case low == high:
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// outputs looks up the graph's outputs. Their names must be distinct and defined.
func (b *builder) outputs() error {
	if len(b.graph.Outputs) == 0 {
		return fault.Formatf("graph", "it has no outputs")
	}
	seen := map[string]bool{}
	for _, out := range b.graph.Outputs {
		id, ok := b.lookup(out.Name)
		if seen[out.Name] {
			return &fault.Format{Offset: out.Offset, What: "graph",
				Reason: msg.Sprintf("it names its output %q twice", out.Name)}
		}
		seen[out.Name] = true
		if !ok || id == missing {
			return &fault.Format{Offset: out.Offset, What: "graph",
				Reason: msg.Sprintf("no node computes its output %q", out.Name)}
		}
		b.g.Outputs = append(b.g.Outputs, Port{out, id})
	}
	return nil
}

// functions builds the function of each node that the engine knows, and computes nodes whose inputs
// are all constants. Nodes are built in order: a constant that one computes is known to the next.
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
			return fault.Formatf(n.What(), "%v", broken)
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

// Has reports whether all numbers are values of the graph.
func (g *Graph) Has(ids ...int) bool {
	for _, id := range ids {
		if id < 0 || id >= len(g.Values) {
			return false
		}
	}
	return true
}
