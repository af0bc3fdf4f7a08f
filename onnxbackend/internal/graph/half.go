package graph

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// half returns the 16-bit float type that the outputs of a node have in the file, or Undefined. The
// engine computes in float32; operators such as Cast round to this type, as 16-bit runtimes do.
func (b *builder) half(n *Node) tensor.Type {
	in := make([]tensor.Type, len(n.In))
	for i, id := range n.In {
		if id != missing {
			in[i] = b.g.Values[id].half
		}
	}
	return n.Row.HalfType(&n.Node, in)
}
