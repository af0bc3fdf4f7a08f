package graph

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// half returns which 16-bit floats the results of a node are in the file, where they are such. Of operators that
// do not name a type they are what the first operand of 16 bits is. Results that are held as another type than float32 have none.
func (b *builder) half(n *Node) tensor.Type {
	typ := tensor.Undefined
	switch n.Op {
	case "Cast":
		typ = tensor.Type(n.Int("to", 0))
	case "Constant":
		for _, a := range n.Attributes {
			if a.Kind == decode.KindTensor && a.Tensor != nil {
				typ = a.Tensor.Half
			}
		}
	case "CastLike":
		if len(n.In) == 2 && n.In[1] != missing {
			typ = b.g.Values[n.In[1]].half
			n.Like = typ
		}
	default:
		for _, id := range n.In {
			if id != missing && typ == tensor.Undefined {
				typ = b.g.Values[id].half
			}
		}
	}
	if typ.Runtime() == typ {
		return tensor.Undefined
	}
	return typ
}
