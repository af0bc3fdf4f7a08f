package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// transposeFact permutes the sizes. Without attribute perm their order is reversed.
func transposeFact(n *Node, in []Fact) Fact {
	x, perm := in[0], n.Ints("perm")
	shape := slices.Clone(x.Shape)
	if perm == nil {
		slices.Reverse(shape)
		return Fact{Type: x.Type, Ranked: x.Ranked, Shape: shape}
	}
	if len(perm) != len(x.Shape) {
		return Fact{Type: x.Type}
	}
	for i, p := range perm {
		if p < 0 || p >= len(x.Shape) {
			return Fact{Type: x.Type}
		}
		shape[i] = x.Shape[p]
	}
	return Fact{Type: x.Type, Ranked: x.Ranked, Shape: shape}
}

// concatFact adds the sizes along the axis. The other sizes agree in every run that succeeds, so a
// size that one input knows holds for all.
func concatFact(n *Node, in []Fact) Fact {
	x := in[0]
	axis, ok := tensor.Axis(n.Int("axis", 0), len(x.Shape))
	if !x.Ranked || !ok {
		return Fact{Type: x.Type}
	}
	shape := slices.Clone(x.Shape)
	for _, y := range in[1:] {
		if len(y.Shape) != len(shape) {
			return Fact{Type: x.Type}
		}
		for d, size := range y.Shape {
			switch {
			case d == axis && shape[d] != Unknown && size != Unknown:
				shape[d] += size
			case d == axis:
				shape[d] = Unknown
			case shape[d] == Unknown:
				shape[d] = size
			}
		}
	}
	return ranked(x.Type, shape)
}

// gatherFact replaces the axis by the dimensions of the indices.
func gatherFact(n *Node, in []Fact) Fact {
	x, at := in[0], in[1]
	axis, ok := tensor.Axis(n.Int("axis", 0), len(x.Shape))
	if !x.Ranked || !at.Ranked || !ok {
		return Fact{Type: x.Type}
	}
	return ranked(x.Type, slices.Concat(x.Shape[:axis], at.Shape, x.Shape[axis+1:]))
}

// unsqueezeFact inserts dimensions of one place at the axes, which count in the result.
func unsqueezeFact(n *Node, in []Fact) Fact {
	x := in[0]
	axes := axesFact(n, in, 1)
	mark, ok := markedFact(axes, len(x.Shape)+len(axes))
	if !x.Ranked || !ok {
		return Fact{Type: x.Type}
	}
	out, next := ranked(x.Type, nil), 0
	for _, added := range mark {
		if added {
			out.Shape = append(out.Shape, 1)
			continue
		}
		out.Shape = append(out.Shape, x.Shape[next])
		next++
	}
	return out
}

// squeezeFact drops the axes that the node names. Without axes the rank depends on the sizes.
func squeezeFact(n *Node, in []Fact) Fact {
	x := in[0]
	mark, ok := markedFact(axesFact(n, in, 1), len(x.Shape))
	if !x.Ranked || !ok {
		return Fact{Type: x.Type}
	}
	out := ranked(x.Type, nil)
	for i, d := range x.Shape {
		if !mark[i] {
			out.Shape = append(out.Shape, d)
		}
	}
	return out
}

// sliceFact knows the sizes of axes that are not cut. Without named axes it is not known which are.
func sliceFact(n *Node, in []Fact) Fact {
	x, axes := in[0], axesFact(n, in, 3)
	if !x.Ranked || axes == nil {
		return Fact{Type: x.Type}
	}
	shape := slices.Clone(x.Shape)
	for _, a := range axes {
		i, ok := tensor.Axis(a, len(shape))
		if !ok {
			return Fact{Type: x.Type}
		}
		shape[i] = Unknown
	}
	return ranked(x.Type, shape)
}

// reshapeFact knows the sizes that a constant names, and those copied from the input. The length
// of a list that runs compute is the rank.
func reshapeFact(n *Node, in []Fact) Fact {
	x, target := in[0], ShortList(in[1].Value)
	if list := in[1].Shape; target == nil && len(list) == 1 && list[0] > 0 &&
		list[0] <= maxShortList {
		return ranked(x.Type, slices.Repeat([]int{Unknown}, list[0]))
	}
	out := Fact{Type: x.Type, Ranked: target != nil}
	// Sizes that follow from the number of elements stay Unknown.
	for i, d := range target {
		switch {
		case d > 0:
		case d == 0 && n.Int("allowzero", 0) == 0 && i < len(x.Shape):
			d = x.Shape[i]
		default:
			d = Unknown
		}
		out.Shape = append(out.Shape, d)
	}
	return out
}

// flattenFact knows the sizes for axis 1, the default, if those behind it are known.
func flattenFact(n *Node, in []Fact) Fact {
	x := in[0]
	out := ranked(x.Type, []int{Unknown, Unknown})
	if n.Int("axis", 1) != 1 || len(x.Shape) == 0 {
		return out
	}
	if slices.Contains(x.Shape[1:], Unknown) {
		out.Shape[0] = x.Shape[0]
		return out
	}
	if size, ok := tensor.Count(x.Shape[1:]); ok {
		out.Shape = []int{x.Shape[0], size}
	}
	return out
}

// axesFact returns the axes that a node names by input i if it is given, else by an attribute. They
// are nil if they are not known, for example because the input is not a constant.
func axesFact(n *Node, in []Fact, i int) []int {
	if x := factAt(in, i); !x.Omitted {
		return ShortList(x.Value)
	}
	return n.Ints("axes")
}

// markedFact marks the dimensions that axes name. It reports false if axes is empty, names a
// dimension twice or names one that does not exist: such a run fails or reduces all axes.
func markedFact(axes []int, rank int) ([]bool, bool) {
	mark := make([]bool, rank)
	for _, a := range axes {
		i, ok := tensor.Axis(a, rank)
		if !ok || mark[i] {
			return nil, false
		}
		mark[i] = true
	}
	return mark, len(axes) > 0
}

// maxShortList bounds the lists of sizes that facts are inferred from. Longer lists are data.
const maxShortList = 64

// ShortList returns the numbers of a constant list or scalar of int64 of at most 64 elements, else
// nil.
func ShortList(t *tensor.Tensor) []int {
	if t == nil || t.Type != tensor.Int64 || t.Rank() > 1 || t.Len() > maxShortList {
		return nil
	}
	v, _ := compute.IntsOf(t) // cannot fail for such a list
	return v
}
