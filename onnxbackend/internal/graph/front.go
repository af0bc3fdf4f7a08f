package graph

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// A Front is the part of a graph up to the first layer with weights that its input reaches: a
// convolution or a product, with the bias and the batch normalization behind it. What it computes
// is not yet changed by an activation.
type Front struct {
	*Graph
	In   int // the value that the layer reads
	Out  int // the value of the layer
	Axis int // axis of the layer's channels; -1 is the last one
}

// prepares has the operators, beside those that move values, that graphs prepare pixels with.
var prepares = []string{"Cast", "Add", "Sub", "Mul", "Div", "Clip", "BatchNormalization",
	"InstanceNormalization", "LayerNormalization", "Pad", "Resize", "AveragePool", "MaxPool",
	"QuantizeLinear", "DequantizeLinear"}

// Front returns the part up to the first layer with weights, in copies of its nodes, so that g may
// be rewritten afterwards. It returns nil if no such layer reads the input, or if other operators
// lie between them.
func (g *Graph) Front(input Port) *Front {
	depends := make([]bool, len(g.Values)) // values that hold pixels
	depends[input.ID] = true
	constant := func(id int) bool { return id >= 0 && g.Values[id].Const != nil }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !slices.ContainsFunc(n.In, func(id int) bool { return id >= 0 && depends[id] }) {
			continue
		}
		layer := n.Op == "Conv" || n.Op == "MatMul" || n.Op == "Gemm"
		if layer && len(n.In) > 1 && depends[max(n.In[0], 0)] && constant(n.In[1]) {
			axis := -1
			if n.Op == "Conv" {
				axis = 1
			}
			return g.frontTo(input, n.In[0], g.unactivated(n.Out[0]), axis)
		}
		if n.Row.Kind == ops.ReadShape {
			continue
		}
		if !n.Row.Moves() && n.Row.Kind != ops.Assemble && !slices.Contains(prepares, n.Op) {
			return nil
		}
		for _, id := range n.Out {
			if id >= 0 {
				depends[id] = true
			}
		}
	}
	return nil
}

// unactivated returns the value behind the biases and batch normalizations that alone read a value.
func (g *Graph) unactivated(id int) int {
	for {
		var reader *Node
		readers := 0
		for i := range g.Nodes {
			if slices.Contains(g.Nodes[i].In, id) {
				reader = &g.Nodes[i]
				readers++
			}
		}
		if readers != 1 || reader.Op != "Add" && reader.Op != "BatchNormalization" {
			return id
		}
		others := slices.DeleteFunc(slices.Clone(reader.In), func(in int) bool {
			return in == id || in < 0 || g.Values[in].Const != nil
		})
		if len(others) > 0 {
			return id
		}
		id = reader.Out[0]
	}
}

// frontTo returns the part of the graph from its input to the value of a layer.
func (g *Graph) frontTo(input Port, in, out, axis int) *Front {
	part, ok := g.Between([]Port{input}, []Port{{ID: out}})
	if !ok {
		return nil
	}
	part.Seal()
	read := make([]bool, len(part.Values))
	for i := range part.Nodes {
		n := &part.Nodes[i]
		n.In, n.Out = slices.Clone(n.In), slices.Clone(n.Out)
		for _, id := range n.In {
			if id >= 0 {
				read[id] = true
			}
		}
	}
	for id := range part.Values {
		if !read[id] { // the constants of later layers are not kept
			part.Values[id].Const = nil
		}
	}
	return &Front{part, in, out, axis}
}
