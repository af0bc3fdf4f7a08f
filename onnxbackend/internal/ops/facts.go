package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Unknown is a size in a [Fact] that may differ from bag to bag.
const Unknown = -1

// A Fact is what holds of a value in every run that succeeds, for any bag. The zero Fact states
// nothing.
type Fact struct {
	// Type is the type in memory, Undefined if it is not known.
	Type tensor.Type
	// Ranked says that the number of dimensions is known.
	Ranked bool
	// Shape holds the sizes if Ranked. A size that is not known is Unknown.
	Shape []int
	// Value is that of a constant, else nil.
	Value *tensor.Tensor
	// Omitted says that the value is an omitted input.
	Omitted bool
}

// A FactRule infers the fact of a node's first output from the facts of its inputs. It must hold
// for every bag: passes rewrite the graph by it, once for all bags.
type FactRule func(n *Node, in []Fact) Fact

// factAt returns the fact of input i, which is omitted if the list ends before it.
func factAt(in []Fact, i int) Fact {
	if i < len(in) {
		return in[i]
	}
	return Fact{Omitted: true}
}

// ranked returns the fact of a value of known shape.
func ranked(t tensor.Type, shape []int) Fact { return Fact{Type: t, Ranked: true, Shape: shape} }

// like returns the fact of a new value of the type and shape of x. A known value is not passed on.
func (x Fact) like() Fact { return Fact{Type: x.Type, Ranked: x.Ranked, Shape: x.Shape} }

// sameFact is for results of the first input's type and shape.
func sameFact(_ *Node, in []Fact) Fact { return in[0].like() }

// truthFact is for conditions on each element, such as IsNaN.
func truthFact(_ *Node, in []Fact) Fact {
	out := in[0].like()
	out.Type = tensor.Bool
	return out
}

// broadcastFact infers the shape of the broadcast of all inputs. A size is known if some input
// has more than one place there: the others have as many, or one.
func broadcastFact(_ *Node, in []Fact) Fact {
	out := in[0].like()
	for _, x := range in[1:] {
		if !out.Ranked || !x.Ranked {
			return Fact{Type: out.Type}
		}
		out.Shape = broadcastSizes(out.Shape, x.Shape)
	}
	return out
}

// comparisonFact is broadcastFact for comparisons, which return bools.
func comparisonFact(n *Node, in []Fact) Fact {
	out := broadcastFact(n, in)
	out.Type = tensor.Bool
	return out
}

// whereFact is broadcastFact for a selection between the second and third input.
func whereFact(n *Node, in []Fact) Fact {
	out := broadcastFact(n, in)
	out.Type = in[1].Type
	return out
}

// broadcastSizes returns what is known of the broadcast of two shapes whose sizes may be Unknown.
func broadcastSizes(a, b []int) []int {
	out := make([]int, max(len(a), len(b)))
	for i := range out {
		x, y := fromEnd(a, len(out)-i), fromEnd(b, len(out)-i)
		switch {
		case x == 1:
			out[i] = y
		case y == 1 || x != Unknown:
			out[i] = x
		case y > 1:
			out[i] = y
		default:
			out[i] = Unknown
		}
	}
	return out
}

// fromEnd returns size i counted from the end, 1 beyond the first.
func fromEnd(shape []int, i int) int {
	if i > len(shape) {
		return 1
	}
	return shape[len(shape)-i]
}

// matMulFact infers products by a matrix, whose batch dimensions are those of the left factor.
// Other products are of unknown shape.
func matMulFact(_ *Node, in []Fact) Fact {
	a, b := in[0], in[1]
	if !a.Ranked || !b.Ranked || len(a.Shape) < 2 || len(b.Shape) != 2 {
		return Fact{Type: a.Type}
	}
	out := slices.Clone(a.Shape)
	out[len(out)-1] = b.Shape[1]
	return ranked(a.Type, out)
}

// gemmFact knows the sizes of the factors that are not summed over.
func gemmFact(n *Node, in []Fact) Fact {
	a, b := in[0], in[1]
	out := ranked(a.Type, []int{Unknown, Unknown})
	if i := n.Int("transA", 0); len(a.Shape) == 2 && (i == 0 || i == 1) {
		out.Shape[0] = a.Shape[i]
	}
	if i := 1 - n.Int("transB", 0); len(b.Shape) == 2 && (i == 0 || i == 1) {
		out.Shape[1] = b.Shape[i]
	}
	return out
}

// poolFact keeps the rank, the batch and the channels. Spatial sizes are left Unknown.
func poolFact(_ *Node, in []Fact) Fact {
	x := in[0]
	if len(x.Shape) < 3 {
		return Fact{Type: x.Type}
	}
	shape := slices.Repeat([]int{Unknown}, len(x.Shape))
	shape[0], shape[1] = x.Shape[0], x.Shape[1]
	return ranked(x.Type, shape)
}

// convFact is poolFact with the channels of the weights.
func convFact(n *Node, in []Fact) Fact {
	out, w := poolFact(n, in), in[1]
	if out.Ranked {
		out.Shape[1] = Unknown
		if len(w.Shape) > 0 {
			out.Shape[1] = w.Shape[0]
		}
	}
	return out
}

// castFact replaces the type. 16-bit floats are float32 in memory.
func castFact(n *Node, in []Fact) Fact {
	out := in[0].like()
	out.Type = tensor.Type(n.Int("to", 0)).Runtime()
	return out
}

// castLikeFact copies the type of the second input.
func castLikeFact(_ *Node, in []Fact) Fact {
	out := in[0].like()
	out.Type = in[1].Type
	return out
}

// sizeFact is for Size: a scalar.
func sizeFact(*Node, []Fact) Fact { return ranked(tensor.Int64, nil) }

// shapeFact is for Shape: a list whose length depends on the attributes.
func shapeFact(*Node, []Fact) Fact { return ranked(tensor.Int64, []int{Unknown}) }

// reduceFact drops the axes that are combined, or keeps them with one place. The axes must be
// known.
func reduceFact(n *Node, in []Fact) Fact {
	x := in[0]
	mark, ok := markedFact(axesFact(n, in, 1), len(x.Shape))
	if !x.Ranked || !ok {
		return Fact{Type: x.Type}
	}
	out := ranked(x.Type, nil)
	for i, d := range x.Shape {
		switch {
		case !mark[i]:
			out.Shape = append(out.Shape, d)
		case n.Int("keepdims", 1) != 0:
			out.Shape = append(out.Shape, 1)
		}
	}
	return out
}
