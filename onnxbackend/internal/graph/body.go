package graph

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A body is a graph inside of a node: a branch of an If, or the repeated graph of a Loop or a Scan.
// The values that it reads from the graph around it become additional inputs of the node. Code that
// orders and runs nodes then needs no rules for bodies.
type body struct {
	attribute string
	b         *builder // nil after the functions are built
	read      []capture
	g         *Graph
	inputs    []int // (capture) number of the node's input
}

// A capture is a value that a body reads from the graph around it: its number there and inside.
type capture struct{ around, inside int }

// lookup returns the number of a name that this graph or one around it has defined so far. A value
// of the graph around becomes a value without producer here, which the body captures.
func (b *builder) lookup(name string) (id int, ok bool) {
	if name == "" {
		return missing, true
	}
	if id, ok = b.names[name]; ok || b.around == nil {
		return id, ok
	}
	// The graph around may itself be a body, which then captures the value too.
	around, ok := b.around.lookup(name)
	if !ok {
		return 0, false
	}
	id = len(b.g.Values)
	b.g.Values = append(b.g.Values, Value{Name: name, Producer: -1,
		half: b.around.g.Values[around].half})
	b.names[name] = id
	b.read = append(b.read, capture{around, id})
	return id, true
}

// bodies numbers the graphs inside of a node. If the engine does not know the node's operator,
// errors inside are ignored; the graphs are numbered to report all unknown operators of a model at
// once.
func (b *builder) bodies(n *Node, d *decode.Node) error {
	place := map[int]int{} // captured value to its number among the inputs
	for _, a := range d.Attributes {
		if a.Kind != decode.KindGraph || a.Graph == nil {
			continue
		}
		c := &builder{g: &Graph{Opset: b.g.Opset, packs: b.g.packs, folder: b.g.folder},
			graph: a.Graph, names: map[string]int{}, opsets: b.opsets, gaps: b.gaps,
			around: b, within: n.Name + "/"}
		if err := c.number(); err != nil && n.Row != nil {
			return err
		}
		// A value that several bodies of the node capture is one input.
		inner := &body{attribute: a.Name, b: c, g: c.g, read: c.read}
		for _, r := range c.read {
			at, ok := place[r.around]
			if !ok {
				at = len(n.In)
				place[r.around] = at
				n.In = append(n.In, r.around)
			}
			inner.inputs = append(inner.inputs, at)
		}
		n.bodies = append(n.bodies, inner)
	}
	return nil
}

// finishBodies builds the functions inside of a node. All nodes before it must be built: captured
// values may have become constants.
func (b *builder) finishBodies(n *Node) error {
	for _, c := range n.bodies {
		for i, at := range c.inputs {
			c.g.Values[c.read[i].inside].Const = b.g.Values[n.In[at]].Const
		}
		if err := c.b.functions(); err != nil {
			return err
		}
		c.b = nil
		c.g.Seal()
		if n.Bodies == nil {
			n.Bodies = map[string]*compute.Body{}
		}
		outline := &compute.Body{Inputs: len(c.g.Inputs), Run: c.run}
		for _, p := range c.g.Outputs {
			outline.Outputs = append(outline.Outputs, p.Value)
		}
		n.Bodies[c.attribute] = outline
	}
	return nil
}

// nodeCost is the work of running a node without its elements, as Tick counts it. It ends endless
// loops over nodes on few elements.
const nodeCost = 256

// run computes a body in the memory of the run around it. args are the body's inputs, in the inputs
// of the node, which include captured values, and out the body's outputs.
func (c *body) run(m *machine.Machine, args, in, out []*tensor.Tensor) error {
	values := make([]tensor.Tensor, len(c.g.Values))
	at := make([]*tensor.Tensor, len(values))
	for id := range at {
		if at[id] = c.g.Values[id].Const; at[id] == nil {
			at[id] = &values[id]
			defer m.Release(at[id])
		}
	}
	// Inputs and captured values are views of tensors of the run around, which stay unchanged.
	for i, p := range c.g.Inputs {
		m.Share(at[p.ID], args[i], args[i].Shape)
	}
	for i, r := range c.read {
		if v := in[c.inputs[i]]; c.g.Values[r.inside].Const == nil {
			m.Share(at[r.inside], v, v.Shape)
		}
	}
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if c.g.known(n) { // computed when the model was opened
			continue
		}
		if err := m.Tick(nodeCost); err != nil {
			return err
		}
		if err := n.runIn(m, at); err != nil {
			return msg.Errorf("in %s: %w", n.What(), err)
		}
	}
	for i, p := range c.g.Outputs {
		m.Share(out[i], at[p.ID], at[p.ID].Shape)
	}
	return nil
}

// known reports whether all outputs of a node are constants.
func (g *Graph) known(n *Node) bool {
	return !slices.ContainsFunc(n.Out,
		func(id int) bool { return id != missing && g.Values[id].Const == nil })
}

// runIn computes a node of a body; at has the tensors of values.
func (n *Node) runIn(m *machine.Machine, at []*tensor.Tensor) error {
	in, out := make([]*tensor.Tensor, len(n.In)), make([]*tensor.Tensor, len(n.Out))
	for i, id := range n.In {
		if id != missing {
			in[i] = at[id]
		}
	}
	for i, id := range n.Out {
		if id != missing {
			out[i] = at[id]
			continue
		}
		out[i] = &tensor.Tensor{}
		defer m.Release(out[i])
	}
	// Scratch memory of the operator is released, also after an error.
	err := n.Func(m, in, out)
	m.EndNode()
	return err
}
