package ops

import (
	"math"
	"slices"
)

// Models that take padded bags compute a mask from the number of instances: place < length. A bag
// contains no padding, so that the mask has one value for each bag. The analysis proves that by
// bounds: lines in the number n of instances, between which all elements lie for every n from 1 on.
// The places 0 to n - 1 lie below n, whatever n is. Elements of one constant value belong to any
// instance, so that such a mask is a value of single instances.

// A Line is Times·n + Plus for a bag of n instances.
type Line struct{ Times, Plus float64 }

// Bounds hold the elements of a value that is computed from the number of instances alone: each
// lies between Low and High, for bags of any size from 1 on.
type Bounds struct{ Low, High Line }

// constantBounds returns the bounds of elements from low to high.
func constantBounds(low, high float64) *Bounds { return &Bounds{Line{0, low}, Line{0, high}} }

var (
	allTrue  = constantBounds(1, 1)
	allFalse = constantBounds(0, 0)
)

// uniform reports whether all elements are one number, the same for every bag.
func (b *Bounds) uniform() bool { return b.Low == b.High && b.Low.Times == 0 }

// constant reports whether both bounds are the same for every bag.
func (b *Bounds) constant() bool { return b.Low.Times == 0 && b.High.Times == 0 }

// exact reports whether arithmetic of 32-bit floats and of integers gives the same elements: whole
// numbers, or constants that a float32 holds. Rounding could move other elements over a bound.
func (b *Bounds) exact() bool {
	for _, v := range []float64{b.Low.Times, b.Low.Plus, b.High.Times, b.High.Plus} {
		if v != math.Trunc(v) && !b.constant() || float64(float32(v)) != v {
			return false
		}
	}
	return true
}

// whole reports whether the bounds are whole numbers, which a cast to integers keeps.
func (b *Bounds) whole() bool {
	for _, v := range []float64{b.Low.Times, b.Low.Plus, b.High.Times, b.High.Plus} {
		if v != math.Trunc(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// below reports whether x < y for every number of instances from 1 on.
func (x Line) below(y Line) bool {
	return x.Times <= y.Times && x.Times+x.Plus < y.Times+y.Plus
}

// atMost reports whether x ≤ y for every number of instances from 1 on.
func (x Line) atMost(y Line) bool {
	return x.Times <= y.Times && x.Times+x.Plus <= y.Times+y.Plus
}

func (x Line) plus(y Line) Line { return Line{x.Times + y.Times, x.Plus + y.Plus} }

func (x Line) scaled(c float64) Line { return Line{x.Times * c, x.Plus * c} }

// hull returns bounds that hold both, or nil if neither line of a pair is below the other.
func hull(a, b *Bounds) *Bounds {
	out := *a
	switch {
	case b.Low.atMost(a.Low):
		out.Low = b.Low
	case !a.Low.atMost(b.Low):
		return nil
	}
	switch {
	case a.High.atMost(b.High):
		out.High = b.High
	case !b.High.atMost(a.High):
		return nil
	}
	return &out
}

// boundsOf returns the bounds of a value, nil if they are not known: those that were followed, or
// those of a list of sizes or of a constant.
func boundsOf(p Place) *Bounds {
	var numbers []float64
	switch {
	case p.Bounds != nil:
		return p.Bounds
	case len(p.Sizes) > 0:
		var all *Bounds
		for _, d := range p.Sizes {
			line := Line{float64(BagTimes(d)), 0}
			if line.Times == 0 {
				if line.Plus = float64(d); d < 0 {
					return nil
				}
			}
			one := &Bounds{line, line}
			if all == nil {
				all = one
			} else if all = hull(all, one); all == nil {
				return nil
			}
		}
		return all
	case p.Class == Constant && p.Value != nil && p.Value.Len() > 0 && p.Value.Len() <= maxBounded:
		numbers, _ = p.Value.Float64s()
	}
	if len(numbers) == 0 || slices.ContainsFunc(numbers, math.IsNaN) {
		return nil
	}
	return constantBounds(slices.Min(numbers), slices.Max(numbers))
}

// maxBounded is the number of elements of the largest constant whose bounds are read.
const maxBounded = 1 << 10

// bound finds the bounds of the first output of a node, and the axis of the instances of an output
// that depends on their number alone. The outputs have their places already. Elements that are one
// number for every bag make an output of single instances, or a constant.
func (r Rule) bound(n *Node, k int, in, out []Place) {
	if len(out) != 1 || len(in) == 0 || out[0].Sizes != nil || k < 2 {
		return // sizes are bounds already, and one instance may lie along each axis of length 1
	}
	if in[0].Counted == countedEmpty && (n.Row.Kind == Layout || n.Row.Kind == PassThrough) {
		out[0].Counted = countedEmpty
		return
	}
	b := boundsAfter(n, in)
	if b == nil || math.IsNaN(b.Low.Plus+b.High.Plus) {
		return
	}
	if out[0].Class == Whole && !r.followCount(n, k, in, out) {
		return
	}
	out[0].Bounds = b
	if out[0].Class == Whole && b.uniform() {
		if out[0].Class = Instance; out[0].Counted == countedFixed {
			out[0].Class = Constant
		}
	}
}

// Counting says how the shape of a Whole value with bounds depends on the number of instances.
type Counting int

// Ways in which it does.
const (
	countedFixed Counting = 1 + iota // it is the same for every bag
	countedAlong                     // Axis has one place for each instance
	countedEmpty                     // it has no elements, whatever the bag; there are no bounds
)

// followCount finds how the shape of the first output depends on the number of instances. The
// rule of the row says so, if inputs that depend on that number alone take the place of constants
// and of instances.
func (r Rule) followCount(n *Node, k int, in, out []Place) bool {
	switch n.Op {
	case "ScatterND", "ScatterElements", "CumSum": // the shape is that of the first input
		out[0].Counted, out[0].Axis = in[0].Counted, in[0].Axis
		if in[0].Class == Instance && !in[0].Merged() {
			out[0].Counted = countedAlong
		}
		return out[0].Counted == countedAlong
	case "Range":
		start, limit := boundsOf(in[0]), boundsOf(in[1])
		many := limit.Low.plus(start.Low.scaled(-1))
		if many != (Line{1, 0}) || limit.Low != limit.High {
			return false
		}
		out[0].Counted, out[0].Axis = countedAlong, 0
		return len(out[0].Shape) == 1 && out[0].Shape[0] == k
	}
	as, fixed := slices.Clone(in), n.Row.Kind != Create
	for i, p := range in {
		if p.Class != Whole {
			fixed = fixed && p.Class == Constant
			continue
		}
		switch {
		case p.Counted == countedAlong:
			as[i].Class, fixed = Instance, false
		case p.Counted == countedFixed || p.Sizes != nil:
			as[i].Class = Constant
			// A list of sizes gives its result a shape that only the rule knows.
			fixed = fixed && (i == 0 || n.Row.Kind == Broadcast)
		default:
			return false
		}
	}
	tried := slices.Clone(out)
	r(n, k, as, tried)
	switch {
	case tried[0].Counted == countedEmpty:
		out[0].Counted = countedEmpty
		return false
	case tried[0].Merged():
		return false
	case tried[0].Class == Instance:
		out[0].Counted, out[0].Axis = countedAlong, tried[0].Axis
	case fixed || n.Row.Kind == Reduce && reducesInstances(n, as):
		out[0].Counted = countedFixed
	default:
		return false
	}
	return true
}

// reducesInstances reports whether a reduction combines the axis of the instances of its input.
func reducesInstances(n *Node, in []Place) bool {
	mark, ok := reducedBy(n, in)
	return ok && in[0].Class == Instance && mark[in[0].Axis] && parameters(in)
}
