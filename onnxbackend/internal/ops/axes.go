package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Class says how a value depends on the bag. The prefix of a model ends at the first operator
// whose output is Whole.
type Class int

// Classes of values.
const (
	// Whole values depend on the bag as a whole. This is the safe assumption.
	Whole Class = iota
	// Constant values are the same for every bag.
	Constant
	// Instance values consist of slices along Axis, each of which depends on one instance alone.
	Instance
)

// SizeBag, in Place.Sizes, stands for the number of instances. It differs from -1, which in the
// target of a Reshape means the size that is left.
const SizeBag = -2

// A Place is what the axis analysis knows of one value.
type Place struct {
	Class Class
	// Axis is the axis of the instances if Class is Instance.
	Axis int
	// Shape holds the sizes for the bag for which the analysis runs.
	Shape []int
	Type  tensor.Type
	// Value is that of a constant if it is known, else nil.
	Value *tensor.Tensor
	// Sizes holds the elements of an integer list or scalar that is computed from sizes, such as
	// the output of Shape. SizeBag stands for the number of instances. It is nil for other values.
	Sizes []int
}

// A Rule says which class and axis the outputs of a node have. It is called with outputs that are
// Whole and have their shapes, if at least one input is not Constant; k is the number of instances.
// Omitted inputs are Constant places without shape. A rule that is not sure leaves the outputs
// Whole: the model is then slower but not wrong.
type Rule func(n *Node, k int, in, out []Place)

// keep marks an output as per instance along an axis. If the axis does not exist or has not k
// places, the output stays Whole, which is the safe assumption.
func (p *Place) keep(axis, k int) {
	if axis >= 0 && axis < len(p.Shape) && p.Shape[axis] == k {
		p.Class, p.Axis = Instance, axis
	}
}

// wholeRule is for operators whose result depends on the bag in ways that the analysis does not
// follow.
func wholeRule(*Node, int, []Place, []Place) {}

// broadcastRule is for element-wise operators: all inputs that vary by instance must do so along
// the same axis of the result, and the others must have one place there or none.
func broadcastRule(_ *Node, k int, in, out []Place) {
	rank, axis := len(out[0].Shape), -1
	for _, p := range in {
		if p.Class == Whole {
			return
		}
		if p.Class == Instance {
			a := p.Axis + rank - len(p.Shape)
			if axis >= 0 && a != axis {
				return
			}
			axis = a
		}
	}
	for _, p := range in {
		// A constant with several places along the instance axis would give each instance another
		// value, so the result would depend on the order of instances.
		if a := axis - rank + len(p.Shape); p.Class == Constant && a >= 0 && p.Shape[a] != 1 {
			return
		}
	}
	for i := range out {
		out[i].keep(axis, k)
	}
}

// passThroughRule is unaryRule for operators that keep the elements, among them sizes.
func passThroughRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance {
		out[0].Sizes = in[0].Sizes
	}
	unaryRule(n, k, in, out)
}

// unaryRule is for operators whose outputs have the shape of the first input. The other inputs are
// parameters, which must be constant: a scale that depends on the bag would mix instances.
func unaryRule(_ *Node, k int, in, out []Place) {
	if !parameters(in) || in[0].Class != Instance {
		return
	}
	for i := range out {
		out[i].keep(in[0].Axis, k)
	}
}

// parameters reports whether all inputs but the first are constant.
func parameters(in []Place) bool {
	for _, p := range in[1:] {
		if p.Class != Constant {
			return false
		}
	}
	return true
}

// poolRule is for pools, which keep the batch and the channels apart.
func poolRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Instance && in[0].Axis <= 1 {
		// a second output of MaxPool counts places over all instances: it stays Whole
		out[0].keep(in[0].Axis, k)
	}
}

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
	if n.Chain != nil || in[0].Class != Instance || d < 0 || !parameters(in) ||
		len(in[1].Shape) <= d+2 || in[1].Shape[d+2] != 1 {
		return
	}
	rank := len(in[0].Shape) - 2
	strides, pads := n.Ints("strides"), n.Ints("pads")
	if len(strides) == rank && strides[d] != 1 || len(pads) == 2*rank &&
		(pads[d] != 0 || pads[rank+d] != 0) {
		return
	}
	out[0].keep(in[0].Axis, k)
}

// batchNormRule differs from channelRule in that any dimension but the channels may hold the
// instances.
func batchNormRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Instance && in[0].Axis != 1 && parameters(in) {
		out[0].keep(in[0].Axis, k)
	}
}

// alongRule is for operators that mix the places of some axes and keep the shape of the others.
// axis returns the first and last mixed one for a rank.
func alongRule(axis func(n *Node, rank int) (first, last int)) Rule {
	return func(n *Node, k int, in, out []Place) {
		if in[0].Class != Instance || !parameters(in) {
			return
		}
		first, last := axis(n, len(in[0].Shape))
		if in[0].Axis >= first && in[0].Axis <= last {
			return
		}
		for i := range out {
			// Dimensions that the operator drops before the instance axis shift that axis.
			a := in[0].Axis
			if drop := len(in[0].Shape) - len(out[i].Shape); drop > 0 && a > first {
				a -= drop // ArgMax without keepdims
			}
			out[i].keep(a, k)
		}
	}
}

// attributeAxis returns the mixed axis of operators that name it by attribute axis with a default.
// If the axis does not exist, all are mixed: the run will fail.
func attributeAxis(def int) func(n *Node, rank int) (int, int) {
	return func(n *Node, rank int) (int, int) {
		a, ok := tensor.Axis(n.Int("axis", def), rank)
		if !ok {
			return 0, rank
		}
		return a, a
	}
}

// softmaxMixes returns the first and last axis that a Softmax mixes.
func softmaxMixes(n *Node, rank int) (int, int) {
	axis, flatten := softmaxAxes(n)
	a, ok := tensor.Axis(axis, rank)
	if !ok {
		return 0, rank
	}
	if flatten {
		return a, rank
	}
	return a, a
}

// layerNormMixes returns the axes of a LayerNormalization: all dimensions from the attribute on.
func layerNormMixes(n *Node, rank int) (int, int) {
	a, ok := tensor.Axis(n.Int("axis", -1), rank)
	if !ok {
		return 0, rank
	}
	return a, rank
}

// cumSumRule keeps instances apart if the sum runs along another axis, which must be a constant.
func cumSumRule(n *Node, k int, in, out []Place) {
	if in[0].Class == Instance && in[1].Class == Constant && in[1].Value != nil {
		axis, err := intOf(in[1].Value)
		if a, ok := tensor.Axis(axis, len(in[0].Shape)); err == nil && ok && a != in[0].Axis {
			out[0].keep(in[0].Axis, k)
		}
	}
}

// reduceRule is for reductions: instances are kept apart if their axis is not reduced.
func reduceRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance || !parameters(in) {
		return
	}
	mark, ok := reducedBy(n, in)
	if !ok || mark[in[0].Axis] {
		return
	}
	axis := in[0].Axis
	// Each reduced dimension before the instance axis moves it one to the front.
	if n.Int("keepdims", 1) == 0 {
		for _, r := range mark[:in[0].Axis] {
			if r {
				axis--
			}
		}
	}
	out[0].keep(axis, k)
}

// transposeRule follows the instance axis through the permutation.
func transposeRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance {
		return
	}
	if perm, err := permutation(n.Ints("perm"), len(in[0].Shape)); err == nil {
		out[0].keep(slices.Index(perm, in[0].Axis), k)
	}
}

// matMulRule keeps instances apart that lie in rows of a left factor, columns of a right one or in
// the batch, when the other factor is constant.
func matMulRule(_ *Node, k int, in, out []Place) {
	a, b := in[0], in[1]
	ra, rb, rank := len(a.Shape), len(b.Shape), len(out[0].Shape)
	if ra < 2 || rb < 2 || a.Class == Whole || b.Class == Whole {
		return
	}
	fromEnd := 0 // of the instances' axis in the result
	for side, f := range [2][2]Place{{a, b}, {b, a}} {
		mine, other := f[0], f[1]
		if mine.Class != Instance {
			continue
		}
		end := len(mine.Shape) - mine.Axis
		// counted from the end: columns of the left factor, rows of the right one
		// The summed dimension is the last one of the left factor and the last but one of the right
		// factor.
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
	axis := -1
	switch a, b := in[0], in[1]; {
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
		c := in[2]
		at := axis - 2 + len(c.Shape)
		if c.Class != Constant || at >= 0 && c.Shape != nil && c.Shape[at] != 1 {
			return
		}
	}
	out[0].keep(axis, k)
}
