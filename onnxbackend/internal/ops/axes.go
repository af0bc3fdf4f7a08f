package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
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

// SizeBag, in Place.Sizes, stands for the number of instances, and bagTimes(m) for m times as many.
// Both differ from -1, which in the target of a Reshape means the size that is left.
const SizeBag = -2

// bagTimes returns the size that stands for m times the number of instances, for m from 1 on.
func bagTimes(m int) int { return -1 - m }

// BagTimes returns how many times the number of instances a size stands for: 0 for a plain number.
func BagTimes(size int) int {
	if size > SizeBag {
		return 0
	}
	return -1 - size
}

// CountsBag reports whether a list of sizes has the number of instances, or a multiple of it.
func CountsBag(sizes []int) bool {
	return slices.ContainsFunc(sizes, func(d int) bool { return BagTimes(d) > 0 })
}

// A Place is what the axis analysis knows of one value. The analysis goes through the nodes in
// order and calls the rule of each one, starting with the bag, which is an Instance value, and the
// weights, which are Constant.
type Place struct {
	Class Class
	// Axis is the axis of the instances if Class is Instance.
	Axis int
	// Outer and Inner are the other factors of an axis that a Reshape has merged with its
	// neighbours, such as instances and heads: place ((o·k)+i)·Inner+j is of instance i. 0 is 1.
	Outer, Inner int
	// Shape holds the sizes for the bag for which the analysis runs.
	Shape []int
	Type  tensor.Type
	// Value is that of a constant if it is known, else nil.
	Value *tensor.Tensor
	// Sizes holds the elements of an integer list or scalar that is computed from sizes, such as
	// the output of Shape. SizeBag and bagTimes stand for the number of instances and its
	// multiples. It is nil for other values.
	Sizes []int
	// Bounds hold the elements of a value that depends on the number of instances alone, and
	// Counted says how its shape does if Class is Whole. They are nil and 0 for other values.
	Bounds  *Bounds
	Counted Counting
}

// Factors returns the factors of the axis of instances beside their number, at least 1 each.
func (p Place) Factors() (outer, inner int) { return max(p.Outer, 1), max(p.Inner, 1) }

// Merged reports whether the axis of an Instance value has more places than the bag has instances.
// Operators of the prefix follow such an axis, but no coalition gathers its instances from it.
func (p Place) Merged() bool {
	outer, inner := p.Factors()
	return p.Class == Instance && outer*inner > 1
}

// A Rule says which class and axis the outputs of a node have. It is called with outputs that are
// Whole and have their shapes, if at least one input is not Constant; k is the number of places of
// the instances' axis: the number of instances, or a multiple if the axis is merged. Omitted inputs
// are Constant places without shape. A rule that is not sure leaves the outputs Whole: the model is
// then slower but not wrong.
type Rule func(n *Node, k int, in, out []Place)

// Apply calls the rule of a row for a bag of k instances. Slices along a merged axis depend on one
// instance each, as those along an axis of instances alone do, so that one rule serves both. If
// inputs have merged axes with different factors, their outputs stay Whole.
func (r Rule) Apply(n *Node, k int, in, out []Place) {
	outer, inner := 0, 0
	for _, p := range in {
		if p.Class != Instance {
			continue
		}
		o, i := p.Factors()
		if outer > 0 && (o != outer || i != inner) {
			return
		}
		outer, inner = o, i
	}
	r(n, k*max(outer, 1)*max(inner, 1), in, out)
	if outer*inner <= 1 {
		r.bound(n, k, in, out)
	}
	if n.Row.Kind == Layout || outer*inner <= 1 {
		return // a rule of Layout states the factors itself
	}
	for i := range out {
		if out[i].Class == Instance {
			out[i].Outer, out[i].Inner = outer, inner
		}
	}
}

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

// broadcastRule is for element-wise operators. All inputs that vary by instance must do so along
// the same axis of the result. Constant inputs must have one place along that axis, or lack it.
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

// batchNormRule differs from channelRule in that any dimension but the channels may hold the
// instances.
func batchNormRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Instance && in[0].Axis != 1 && parameters(in) {
		out[0].keep(in[0].Axis, k)
	}
}

// alongRule is for operators that mix the places of some axes and keep the shape of the others.
// Axis returns the first and last mixed one for a rank.
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
	axis, flatten := n.SoftmaxAxes()
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
		list, err := compute.IntsOf(in[1].Value)
		if err != nil || len(list) != 1 {
			return
		}
		if a, ok := tensor.Axis(list[0], len(in[0].Shape)); ok && a != in[0].Axis {
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
	// Each reduced dimension before the instance axis shifts it one place toward the front.
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
	if perm, err := compute.Permutation(n.Ints("perm"), len(in[0].Shape)); err == nil {
		out[0].keep(slices.Index(perm, in[0].Axis), k)
	}
}
