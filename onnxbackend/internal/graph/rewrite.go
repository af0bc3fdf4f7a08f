package graph

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Build sets the function of a node from its attributes, its constant inputs and the nodes fused
// into it. gap is the reason why the engine cannot run the node, broken the reason why the node is
// invalid. In both cases the node is unchanged.
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

// Reserve reports whether the limit allows more constants of so many bytes. If so, it counts them.
func (g *Graph) Reserve(bytes int) bool {
	if bytes > g.folder.left || g.Outlive(bytes) != nil {
		return false
	}
	g.folder.left -= bytes
	return true
}

// Outlive reserves bytes that the graph keeps in the Memory of the limits.
func (g *Graph) Outlive(bytes int) error { return g.folder.m.Outlive(bytes) }

// AddConstant adds a constant and returns its number.
func (g *Graph) AddConstant(name string, t *tensor.Tensor) (id int) {
	g.Values = append(g.Values, Value{Name: name, Const: t, Producer: missing})
	return len(g.Values) - 1
}

// Remove removes the nodes that are marked, and numbers the producers of values again.
func (g *Graph) Remove(marked []bool) {
	rest := g.Nodes[:0]
	for i, n := range g.Nodes {
		if !marked[i] {
			rest = append(rest, n)
		}
	}
	clear(g.Nodes[len(rest):]) // frees what removed nodes refer to
	g.Nodes = rest
	// Numbers of nodes have changed.
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

// Seal ends the rewriting of a graph and frees the memory that only rewriting needs.
func (g *Graph) Seal() { g.packs, g.folder = nil, nil }

// Operators returns the distinct operators of the graph and of the graphs inside of its nodes,
// sorted.
func (g *Graph) Operators() []string {
	if g.operators != nil { // an outline
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

// Outline returns a copy of the graph without constants and functions. It describes how nodes are
// connected, for reports about the file.
func (g *Graph) Outline() *Graph {
	o := &Graph{operators: g.Operators(), Inputs: g.Inputs, Outputs: g.Outputs, Opset: g.Opset,
		Nodes: slices.Clone(g.Nodes), Values: slices.Clone(g.Values)}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		n.Node = ops.Node{Row: n.Row,
			Node: compute.Node{Op: n.Op, Opset: n.Opset, Outputs: n.Outputs}}
		n.bodies = nil
		n.Func, n.In, n.Out = nil, slices.Clone(n.In), slices.Clone(n.Out)
	}
	for id := range o.Values {
		o.Values[id].Const = nil
	}
	return o
}
