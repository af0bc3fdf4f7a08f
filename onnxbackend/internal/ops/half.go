package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A HalfRule returns the type that the file gives the outputs of a node that names a type. in holds
// the 16-bit float type of each input in the file, Undefined for others. The engine needs it for
// CastLike, whose second input no longer has that type in memory.
type HalfRule func(n *Node, in []tensor.Type) tensor.Type

// HalfType returns which 16-bit float type the outputs of a node have in the file if they are
// float32 in memory, else Undefined. Operators without a HalfRule return the type of their first
// 16-bit operand. The row may be nil, as for operators that the table lacks.
func (r *Row) HalfType(n *Node, in []tensor.Type) tensor.Type {
	typ := tensor.Undefined
	if r != nil && r.Half != nil {
		typ = r.Half(n, in)
	} else {
		for _, t := range in {
			if typ == tensor.Undefined {
				typ = t
			}
		}
	}
	if typ.Runtime() == typ {
		return tensor.Undefined
	}
	return typ
}

// castHalf is for Cast, whose attribute names the type.
func castHalf(n *Node, _ []tensor.Type) tensor.Type { return tensor.Type(n.Int("to", 0)) }

// castLikeHalf also stores the type in the node, since the second input is float32 in memory.
func castLikeHalf(n *Node, in []tensor.Type) tensor.Type {
	n.Like = in[1]
	return n.Like
}

// constantHalf is for Constant, whose tensor remembers the type that it had in the file.
func constantHalf(n *Node, _ []tensor.Type) (typ tensor.Type) {
	for _, a := range n.Attributes {
		if a.Kind == decode.KindTensor && a.Tensor != nil {
			typ = a.Tensor.Half
		}
	}
	return typ
}
