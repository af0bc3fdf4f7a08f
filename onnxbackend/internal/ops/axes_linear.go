package ops

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

// matMulRule keeps instances apart that lie in rows of a left factor, columns of a right one or in
// the batch, when the other factor is constant.
func matMulRule(_ *Node, k int, in, out []Place) {
	a, b := in[0], in[1]
	ra, rb, rank := len(a.Shape), len(b.Shape), len(out[0].Shape)
	if ra < 2 || rb < 2 || a.Class == Whole || b.Class == Whole {
		return
	}
	fromEnd := 0 // the instances' axis in the result, counted from the end
	for side, f := range [2][2]Place{{a, b}, {b, a}} {
		mine, other := f[0], f[1]
		if mine.Class != Instance {
			continue
		}
		end := len(mine.Shape) - mine.Axis
		// The summed dimension, counted from the end, is the last one of the left factor and the
		// last but one of the right factor.
		summed := 1 + side
		if end <= 2 && (other.Class == Instance || end == summed) || fromEnd != 0 &&
			fromEnd != end {
			return
		}
		if o := len(other.Shape) - end; end > 2 && other.Class == Constant && o >= 0 &&
			other.Shape[o] != 1 {
			return
		}
		fromEnd = end
	}
	out[0].keep(rank-fromEnd, k)
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
