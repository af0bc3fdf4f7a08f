package ops

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// channelRule is for Conv and normalisations with channels in dimension 1. Instances are kept apart
// if they are the batch, dimension 0, and the weights are constant.
func channelRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Instance && in[0].Axis == 0 && parameters(in) {
		out[0].keep(0, k)
	}
}

// convRule also keeps instances apart along a dimension of the picture in which the kernel has one
// place, as in a layer for each instance that is written as a convolution of (1, features,
// instances).
func convRule(n *Node, k int, in, out []Place) {
	channelRule(n, k, in, out)
	d := in[0].Axis - 2
	if len(n.Chain) > 1 || in[0].Class != Instance || d < 0 || !parameters(in) ||
		len(in[1].Shape) <= d+2 || in[1].Shape[d+2] != 1 {
		return
	}
	// Steps of one place and no padding leave each instance its own column.
	rank := len(in[0].Shape) - 2
	strides, pads := n.Ints("strides"), n.Ints("pads")
	if len(strides) == rank && strides[d] != 1 || len(pads) == 2*rank &&
		(pads[d] != 0 || pads[rank+d] != 0) {
		return
	}
	out[0].keep(in[0].Axis, k)
}

// matMulRule keeps instances apart whose dimension is in the result. The other factor must lack
// this dimension or have one place along it, or have instances along the same one.
func matMulRule(_ *Node, k int, in, out []Place) {
	p := matrices(len(in[0].Shape), len(in[1].Shape))
	var label rune
	for side, f := range in[:2] {
		if f.Class == Whole {
			return
		}
		if f.Class != Instance {
			continue
		}
		l := p.Terms[side][f.Axis]
		if label != 0 && l != label {
			return
		}
		label = l
	}
	for side, f := range in[:2] {
		at := slices.Index(p.Terms[side], label)
		if f.Class == Constant && at >= 0 && f.Shape[at] != 1 {
			return
		}
	}
	out[0].keep(slices.Index(p.Result, label), k)
}

// gemmRule keeps instances apart that are rows of a left factor or columns of a right one, if the
// other factor is constant and the addend does not vary along them.
func gemmRule(n *Node, k int, in, out []Place) {
	rowAxis, colAxis := 0, 1
	if n.Int("transA", 0) != 0 {
		rowAxis = 1
	}
	if n.Int("transB", 0) != 0 {
		colAxis = 0
	}
	axis := -1 // axis of the instances in the result
	switch a, b := in[0], in[1]; {
	// Gemm also accepts a vector as left factor, whose axis is not followed.
	case len(a.Shape) != 2:
		return
	case a.Class == Instance && b.Class == Constant && a.Axis == rowAxis:
		axis = 0
	case a.Class == Constant && b.Class == Instance && b.Axis == colAxis:
		axis = 1
	default:
		return
	}
	if len(in) > 2 {
		// The addend may vary along the other axis only.
		c := in[2]
		at := axis - 2 + len(c.Shape)
		if c.Class != Constant || at >= 0 && c.Shape != nil && c.Shape[at] != 1 {
			return
		}
	}
	out[0].keep(axis, k)
}

// einsumRule keeps instances apart whose label stands in the result, once in every term of
// instances, and in no other term.
func einsumRule(n *Node, k int, in, out []Place) {
	terms, result, ok := einsumTerms(n)
	if !ok || len(terms) != len(in) {
		return
	}
	// The instances of all terms must share one label.
	label := ""
	for i, p := range in {
		if p.Class == Whole {
			return
		}
		if p.Class == Instance && len(terms[i]) == len(p.Shape) {
			label = terms[i][p.Axis : p.Axis+1]
		}
	}
	for i, p := range in {
		switch count := strings.Count(terms[i], label); {
		case label == "", p.Class == Constant && count > 0:
			return
		case p.Class == Instance && (count != 1 || terms[i][p.Axis:p.Axis+1] != label):
			return
		}
	}
	out[0].keep(strings.Index(result, label), k)
}

// gridRule keeps instances apart that are the batch of both pictures and grids.
func gridRule(_ *Node, k int, in, out []Place) {
	for _, p := range in {
		if p.Class != Instance || p.Axis != 0 {
			return
		}
	}
	out[0].keep(0, k)
}

// scaleAxisRule keeps instances apart if they do not lie along the axis of scales, or if there is
// one scale.
func scaleAxisRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance || !parameters(in) {
		return
	}
	one := !slices.ContainsFunc(in[1].Shape, func(d int) bool { return d != 1 })
	a, ok := tensor.Axis(n.Int("axis", 1), len(in[0].Shape))
	if one || ok && a != in[0].Axis && n.Int("block_size", 0) == 0 {
		out[0].keep(in[0].Axis, k)
	}
}
