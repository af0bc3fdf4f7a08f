package graph

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Build makes the function of a node from its attributes, its constant inputs and what is fused
// into it. It says what the engine cannot do of the node, or what is broken in it; the node is as
// before then.
func (g *Graph) Build(n *Node) (gap, broken error) {
	fresh := n.Node
	fresh.Const = make([]*tensor.Tensor, len(n.In))
	for i, id := range n.In {
		if id != missing {
			fresh.Const[i] = g.Values[id].Const
		}
	}
	f, gap, broken := n.Row.Build(&fresh, g.packs)
	if gap == nil && broken == nil {
		n.Node, n.Func = fresh, f
	}
	return gap, broken
}

// Reserve reports whether constants of so many bytes may still be made, and counts them as made.
func (g *Graph) Reserve(bytes int) bool {
	if bytes > g.folder.left {
		return false
	}
	g.folder.left -= bytes
	return true
}

// AddConstant gives the graph a constant that the file has not.
func (g *Graph) AddConstant(name string, t *tensor.Tensor) (id int) {
	g.Values = append(g.Values, Value{Name: name, Const: t, Producer: missing})
	return len(g.Values) - 1
}

// Keep leaves out the nodes for which keep is false.
func (g *Graph) Keep(keep func(i int) bool) {
	kept := g.Nodes[:0]
	for i := range g.Nodes {
		if keep(i) {
			kept = append(kept, g.Nodes[i])
		}
	}
	clear(g.Nodes[len(kept):])
	g.Nodes = kept
	for id := range g.Values {
		g.Values[id].Producer = missing
	}
	for i := range g.Nodes {
		for _, id := range g.Nodes[i].Out {
			if id != missing {
				g.Values[id].Producer = i
			}
		}
	}
}

// Seal ends the rewriting of a graph and lets go of what that needs.
func (g *Graph) Seal() { g.packs, g.folder = nil, nil }

// Operators returns the operators of the graph and of those inside of its nodes.
func (g *Graph) Operators() []string {
	if g.operators != nil {
		return g.operators
	}
	var list []string
	for i := range g.Nodes {
		list = append(list, g.Nodes[i].Op)
		for _, c := range g.Nodes[i].bodies {
			list = append(list, c.g.Operators()...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Outline returns a copy of the graph that says how nodes are connected, without constants and
// functions.
func (g *Graph) Outline() *Graph {
	o := &Graph{operators: g.Operators(), Inputs: g.Inputs, Outputs: g.Outputs, Opset: g.Opset,
		Nodes: slices.Clone(g.Nodes), Values: slices.Clone(g.Values)}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		n.Node = ops.Node{Op: n.Op, Opset: n.Opset, Outputs: n.Outputs}
		n.bodies = nil
		n.Func, n.In, n.Out = nil, slices.Clone(n.In), slices.Clone(n.Out)
	}
	for id := range o.Values {
		o.Values[id].Const = nil
	}
	return o
}
