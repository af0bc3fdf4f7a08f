package graph

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// half returns which 16-bit float type the outputs of a node have in the file, else Undefined.
func (b *builder) half(n *Node) tensor.Type {
	in := make([]tensor.Type, len(n.In))
	for i, id := range n.In {
		if id != missing {
			in[i] = b.g.Values[id].half
		}
	}
	return n.Row.HalfType(&n.Node, in)
}
