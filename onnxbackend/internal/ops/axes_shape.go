package ops

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sizesOf returns the elements of a list of sizes: what the analysis followed, or a constant's
// value.
func sizesOf(p Place) []int {
	if p.Sizes != nil || p.Value == nil || len(p.Shape) > 1 {
		return p.Sizes
	}
	v, err := compute.IntsOf(p.Value)
	if err != nil {
		return nil
	}
	for _, d := range v {
		if d < -1 {
			return nil
		}
	}
	return v
}

// shapeRule follows the number of instances into a list of sizes. It marks its place as SizeBag, so
// that a later Reshape or Expand can be proved to work for bags of any size.
//
// The length of a list of sizes is the same for bags of any size.
func shapeRule(n *Node, _ int, in, out []Place) {
	sizes := slices.Clone(in[0].Shape)
	switch {
	case in[0].Class == Instance:
		outer, inner := in[0].Factors()
		sizes[in[0].Axis] = bagTimes(outer * inner)
	case in[0].Sizes == nil:
		return
	}
	start, end := n.Int("start", 0), n.Int("end", math.MaxInt32)
	out[0].Sizes = slices.Clone(compute.ShapeRange(sizes, start, end))
}

// castRule is passThroughRule for casts. Types that do not hold every number of instances, such as
// truth values, hold no sizes.
func castRule(n *Node, k int, in, out []Place) {
	passThroughRule(n, k, in, out)
	to := tensor.Type(n.Int("to", 0))
	if n.Op == "CastLike" {
		to = in[1].Type
	}
	switch to {
	case tensor.Int64, tensor.Int32, tensor.Float32, tensor.Float64:
	default:
		out[0].Sizes = nil
	}
}

// sizeRule follows the number of instances into the number of elements of a value.
func sizeRule(_ *Node, _ int, in, out []Place) {
	if in[0].Class != Instance {
		return
	}
	outer, inner := in[0].Factors()
	times := outer * inner
	for d, side := range in[0].Shape {
		if d != in[0].Axis && side > 0 && side < maxTimes && times < maxTimes {
			times *= side
		} else if d != in[0].Axis {
			return
		}
	}
	out[0].Sizes = []int{bagTimes(times)}
}

// mulRule also follows the product of two sizes, such as that of a batch of one and its instances.
func mulRule(n *Node, k int, in, out []Place) {
	broadcastRule(n, k, in, out)
	a, b := sizesOf(in[0]), sizesOf(in[1])
	if len(a) != 1 || len(b) != 1 {
		return
	}
	switch x, y := a[0], b[0]; {
	case x == 1:
		out[0].Sizes = b
	case y == 1:
		out[0].Sizes = a
	case BagTimes(x) > 0 && y > 0 && y < maxTimes:
		out[0].Sizes = []int{bagTimes(BagTimes(x) * y)}
	case BagTimes(y) > 0 && x > 0 && x < maxTimes:
		out[0].Sizes = []int{bagTimes(BagTimes(y) * x)}
	}
}

// maxTimes bounds factors of the number of instances, so that their products do not overflow.
const maxTimes = 1 << 20

// divRule also follows a multiple of the number of instances that is divided by one of its factors,
// such as the number of windows by that of one picture.
func divRule(n *Node, k int, in, out []Place) {
	broadcastRule(n, k, in, out)
	a, b := sizesOf(in[0]), sizesOf(in[1])
	if len(a) != 1 || len(b) != 1 || b[0] < 1 {
		return
	}
	if m := BagTimes(a[0]); m > 0 && m%b[0] == 0 {
		out[0].Sizes = []int{bagTimes(m / b[0])}
	}
}

// equalRule also compares lists of sizes, if the answer is the same for bags of any size. Exporters
// write such comparisons for -1 in the sizes of expand.
func equalRule(n *Node, k int, in, out []Place) {
	broadcastRule(n, k, in, out)
	a, b := sizesOf(in[0]), sizesOf(in[1])
	if a == nil || b == nil || len(a) != len(b) {
		return
	}
	equal := make([]int, len(a))
	for i := range a {
		counts := BagTimes(a[i]) > 0
		if counts != (BagTimes(b[i]) > 0) && max(a[i], b[i]) > 0 {
			return // a number of instances may equal a plain number
		}
		if a[i] == b[i] {
			equal[i] = 1
		}
	}
	out[0].Sizes = equal
}

// whereRule also chooses between lists of sizes by a known condition.
func whereRule(n *Node, k int, in, out []Place) {
	broadcastRule(n, k, in, out)
	a, b := sizesOf(in[1]), sizesOf(in[2])
	if in[0].Class != Constant || in[0].Value == nil || in[0].Value.Type != tensor.Bool ||
		len(in[0].Shape) > 1 || a == nil || len(a) != len(b) || in[0].Value.Len() != len(a) {
		return
	}
	sizes := slices.Clone(b)
	for i, yes := range tensor.Of[uint8](in[0].Value) {
		if yes != 0 {
			sizes[i] = a[i]
		}
	}
	out[0].Sizes = sizes
}

// layoutRule is for operators that keep the order of elements and change the shape. The instances
// are in the dimension of the result that their steps fall into: alone, or merged with neighbours.
// follows reports whether that dimension j is so for bags of any size; times is how many places it
// has for each instance.
func layoutRule(follows func(n *Node, j, times int, in []Place, shape []int) bool) Rule {
	return func(n *Node, k int, in, out []Place) {
		if in[0].Sizes != nil && len(out[0].Shape) <= 1 {
			out[0].Sizes = in[0].Sizes
		}
		x, shape := in[0], out[0].Shape
		if x.Class != Instance || slices.Contains(shape, 0) {
			return
		}
		outer, inner := x.Factors()
		bag := k / (outer * inner)
		// The order of elements is unchanged: steps from one instance to the next stay as long.
		before, _, step := tensor.Split(x.Shape, x.Axis)
		before, step = outer*before, inner*step
		for j, d := range shape {
			first, _, rest := tensor.Split(shape, j)
			if step%rest != 0 || before%first != 0 {
				continue
			}
			outer, inner := before/first, step/rest
			if d == outer*bag*inner && follows(n, j, outer*inner, in, shape) {
				out[0].keep(j, d)
				out[0].Outer, out[0].Inner = outer, inner
				return
			}
		}
	}
}

// fixedAxes is for Flatten and Unsqueeze, which with fixed axes only move dimensions.
func fixedAxes(_ *Node, _, _ int, in []Place, _ []int) bool {
	return len(in) < 2 || in[1].Class == Constant
}

// squeezedAxes is for Squeeze. Without axes it would drop the axis of a single instance.
func squeezedAxes(n *Node, j, times int, in []Place, shape []int) bool {
	if !n.Has("axes") && (len(in) < 2 || in[1].Shape == nil) {
		return false
	}
	return fixedAxes(n, j, times, in, shape)
}

// reshapedAxes is for Reshape: dimension j must be named as the number of instances, as that many
// times it or as what is left, and no other dimension may depend on that number. A plain number
// that happens to equal k is rejected, since it would be wrong for other bags.
func reshapedAxes(n *Node, j, times int, in []Place, shape []int) bool {
	target := sizesOf(in[1])
	if len(target) != len(shape) {
		return false
	}
	zero := n.Int("allowzero", 0) == 0
	outer, inner := in[0].Factors()
	for i, d := range target {
		named := BagTimes(d)
		if d == 0 && zero && i == in[0].Axis {
			named = outer * inner
		}
		if i == j && named != times && d != -1 || i != j && named > 0 {
			return false
		}
	}
	return true
}

// gatherRule follows a selection from a list of sizes, instances that are not gathered along, and
// constants that are gathered by indices of instances, such as an embedding.
func gatherRule(n *Node, k int, in, out []Place) {
	x, at := in[0], in[1]
	axis, ok := tensor.Axis(n.Int("axis", 0), len(x.Shape))
	switch {
	case !ok:
	// A graph reads one dimension of a shape by Gather.
	case x.Sizes != nil && at.Value != nil && len(at.Shape) <= 1:
		out[0].Sizes = pick(x.Sizes, at.Value)
	case x.Class == Instance && at.Class == Constant && axis != x.Axis:
		a := x.Axis
		if axis < a {
			a += len(at.Shape) - 1
		}
		out[0].keep(a, k)
	case x.Class == Constant && at.Class == Instance:
		out[0].keep(axis+at.Axis, k)
	}
}

// pick returns the sizes at constant places, or nil if one does not exist.
func pick(sizes []int, at *tensor.Tensor) []int {
	v, err := compute.IntsOf(at)
	if err != nil {
		return nil
	}
	out := make([]int, len(v))
	for i, p := range v {
		p, ok := tensor.Axis(p, len(sizes))
		if !ok {
			return nil
		}
		out[i] = sizes[p]
	}
	return out
}

// concatRule joins lists of sizes, and keeps instances apart if all inputs have them along one axis
// that is not the joined one.
func concatRule(n *Node, k int, in, out []Place) {
	if len(out[0].Shape) == 1 {
		var sizes []int
		for _, p := range in {
			s := sizesOf(p)
			if s == nil {
				sizes = nil
				break
			}
			sizes = append(sizes, s...)
		}
		out[0].Sizes = sizes
	}
	axis := -1
	for _, p := range in {
		if p.Class != Instance || axis >= 0 && p.Axis != axis {
			return
		}
		axis = p.Axis
	}
	if a, ok := tensor.Axis(n.Int("axis", 0), len(in[0].Shape)); ok && a != axis {
		out[0].keep(axis, k)
	}
}

// sliceRule keeps instances apart if another axis is cut. It also follows lists of sizes.
func sliceRule(n *Node, k int, in, out []Place) {
	// Attributes hold the lists before version 10; constants replace them since.
	lists := [4][]int{n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil}
	for i, p := range in {
		if i == 0 || p.Shape == nil && p.Value == nil {
			continue
		}
		if p.Value == nil {
			cutRule(n, k, in, out)
			return
		}
		v, err := compute.IntsOf(p.Value)
		if err != nil {
			return
		}
		lists[i-1] = v
	}
	ranges, err := compute.AxisRanges(nil, in[0].Shape, lists)
	if err != nil {
		return
	}
	if in[0].Sizes != nil && len(ranges) == 1 {
		c := ranges[0]
		out[0].Sizes = []int{}
		for i := range c.N {
			out[0].Sizes = append(out[0].Sizes, in[0].Sizes[c.Start+i*c.Step])
		}
	}
	if in[0].Class != Instance {
		return
	}
	for _, c := range ranges {
		if c.Axis == in[0].Axis {
			return
		}
	}
	out[0].keep(in[0].Axis, k)
}

// constantOfShapeRule keeps instances apart if one dimension is their number: all instances get the
// same elements.
func constantOfShapeRule(_ *Node, k int, in, out []Place) {
	if axis, ok := bagAxis(in[0].Sizes); ok {
		out[0].repeat(axis, k, in[0].Sizes[axis])
	}
}

// bagAxis returns the one place of a list of sizes that is the number of instances, or a multiple.
func bagAxis(sizes []int) (axis int, ok bool) {
	axis = slices.IndexFunc(sizes, func(d int) bool { return BagTimes(d) > 0 })
	return axis, axis >= 0 && !CountsBag(sizes[axis+1:])
}

// repeat marks an output whose elements are the same all along an axis as per instance, k of them.
// Such elements belong to any instance; those of a merged axis count as consecutive ones.
func (p *Place) repeat(axis, k, size int) {
	p.keep(axis, k*BagTimes(size))
	p.Inner = BagTimes(size)
}

// expandRule keeps instances apart if the target does not change their axis, or repeats a constant
// for each.
func expandRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Constant {
		axis, ok := bagAxis(in[1].Sizes)
		if at := axis - len(in[1].Sizes) + len(in[0].Shape); ok &&
			(at < 0 || in[0].Shape[at] == 1) {
			out[0].repeat(axis+len(out[0].Shape)-len(in[1].Sizes), k, in[1].Sizes[axis])
		}
	}
	if in[0].Class != Instance {
		return
	}
	axis := in[0].Axis + len(out[0].Shape) - len(in[0].Shape)
	outer, inner := in[0].Factors()
	target := sizesOf(in[1])
	for i, d := range target {
		a := i + len(out[0].Shape) - len(target)
		if a == axis && d != 1 && BagTimes(d) != outer*inner || a != axis && d < 0 {
			return
		}
	}
	if target != nil {
		out[0].keep(axis, k)
	}
}

// tileRule keeps instances apart if their axis is repeated once, or a constant for each of them.
func tileRule(_ *Node, k int, in, out []Place) {
	if in[0].Class == Constant && len(in[1].Sizes) == len(in[0].Shape) {
		if axis, ok := bagAxis(in[1].Sizes); ok && in[0].Shape[axis] == 1 {
			out[0].repeat(axis, k, in[1].Sizes[axis])
		}
	}
	if in[0].Class != Instance || in[1].Value == nil {
		return
	}
	r, err := compute.IntsOf(in[1].Value)
	if err == nil && len(r) > in[0].Axis && r[in[0].Axis] == 1 {
		out[0].keep(in[0].Axis, k)
	}
}

// padRule keeps instances apart if their axis gets no padding. Pads that are inputs must be
// constant.
func padRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance || !parameters(in) || n.Opset >= 11 && in[1].Value == nil {
		return
	}
	pads := n.Ints("pads")
	if n.Opset >= 11 {
		var axes *tensor.Tensor
		if len(in) > 3 {
			if axes = in[3].Value; axes == nil && in[3].Shape != nil {
				return
			}
		}
		v, err := compute.IntsOf(in[1].Value)
		if err != nil {
			return
		}
		if pads, err = compute.PadsFor(v, axes, len(in[0].Shape)); err != nil {
			return
		}
	}
	if r := len(in[0].Shape); len(pads) == 2*r && pads[in[0].Axis] == 0 && pads[r+in[0].Axis] == 0 {
		out[0].keep(in[0].Axis, k)
	}
}

// gatherElementsRule keeps instances apart if both inputs have them along the same axis and another
// Axis is gathered along.
func gatherElementsRule(n *Node, k int, in, out []Place) {
	a, ok := tensor.Axis(n.Int("axis", 0), len(in[0].Shape))
	if ok && in[0].Class == Instance && in[1].Class == Instance && in[0].Axis == in[1].Axis &&
		a != in[0].Axis {
		out[0].keep(in[0].Axis, k)
	}
}
