package ops

import "slices"

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
