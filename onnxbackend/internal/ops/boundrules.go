package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// boundsAfter returns the bounds of the first output of a node, nil if they are not known.
func boundsAfter(n *Node, in []Place) *Bounds {
	x := boundsOf(in[0])
	if n.Op == "ConstantOfShape" {
		return boundsOf(Place{Class: Constant, Value: n.Filling()})
	}
	if x == nil {
		return nil
	}
	switch n.Row.Kind {
	case Layout, Copy:
		return x
	case PassThrough:
		switch n.Op {
		case "Cast":
			return castBounds(n, x)
		case "CastLike":
			return nil
		}
		return x
	case Reduce:
		return reducedBounds(n, in, x)
	}
	switch n.Op {
	case "Not":
		return notBounds(x)
	case "CumSum":
		return runningBounds(n, in, x)
	case "ScatterND", "ScatterElements":
		return overwrittenBounds(n, in, x)
	}
	var others []*Bounds
	for _, p := range in[1:] {
		b := boundsOf(p)
		if b == nil {
			return nil
		}
		others = append(others, b)
	}
	switch {
	case n.Op == "Range" && *others[1] == *allTrue && x.Low == x.High: // steps of 1
		return &Bounds{x.Low, others[0].High.plus(Line{0, -1})}
	case n.Op == "Where" && *x == *allTrue:
		return others[0]
	case n.Op == "Where" && *x == *allFalse:
		return others[1]
	case n.Op == "Where":
		return hull(others[0], others[1])
	case n.Row.Kind == Broadcast && len(others) == 1:
		if b := pairBounds(n.Op, x, others[0]); b != nil && b.exact() {
			return b
		}
	}
	return nil
}

// castBounds returns the bounds after a Cast. Types that do not hold every number of instances
// exactly have none, except for constants that they hold.
func castBounds(n *Node, x *Bounds) *Bounds {
	switch to := tensor.Type(n.Int("to", 0)); to {
	case tensor.Bool:
		switch {
		case *x == *allFalse:
			return allFalse
		case (Line{}).below(x.Low) || x.High.below(Line{}):
			return allTrue
		}
		return constantBounds(0, 1)
	case tensor.Int64, tensor.Int32:
		if x.whole() {
			return x
		}
		return nil
	case tensor.Float32, tensor.Float64:
		if x.exact() {
			return x
		}
		return nil
	}
	if *x == *allTrue || *x == *allFalse {
		return x
	}
	return nil
}

// notBounds returns the bounds of the opposite of a truth value.
func notBounds(x *Bounds) *Bounds {
	switch *x {
	case *allTrue:
		return allFalse
	case *allFalse:
		return allTrue
	}
	return constantBounds(0, 1)
}

// reducedBounds returns the bounds of a reduction. A sum over the instances is that of n equal
// numbers.
func reducedBounds(n *Node, in []Place, x *Bounds) *Bounds {
	switch n.Op {
	case "ReduceMax", "ReduceMin":
		return x
	case "ReduceSum":
		mark, ok := reducedBy(n, in)
		along := in[0].Class == Instance || in[0].Counted == countedAlong
		if !ok || !along || !x.uniform() || !x.whole() {
			return nil
		}
		for d, reduced := range mark {
			if reduced != (d == in[0].Axis) && in[0].Shape[d] != 1 {
				return nil
			}
		}
		line := Line{x.Low.Plus, 0}
		return &Bounds{line, line}
	}
	return nil
}

// runningBounds returns the bounds of the running sums of one number over the instances.
func runningBounds(n *Node, in []Place, x *Bounds) *Bounds {
	along := in[0].Class == Instance || in[0].Counted == countedAlong
	if in[1].Value == nil || !along || !x.uniform() || !x.whole() || x.Low.Plus < 0 {
		return nil
	}
	axis, err := compute.IntsOf(in[1].Value)
	if err != nil || len(axis) != 1 {
		return nil
	}
	if a, ok := tensor.Axis(axis[0], len(in[0].Shape)); !ok || a != in[0].Axis {
		return nil
	}
	c := x.Low.Plus
	if n.Int("exclusive", 0) != 0 {
		return &Bounds{Line{}, Line{c, -c}}
	}
	return &Bounds{x.Low, Line{c, 0}}
}

// overwrittenBounds returns the bounds of a tensor in which elements are replaced.
func overwrittenBounds(n *Node, in []Place, x *Bounds) *Bounds {
	if replacesNone(in) {
		return x
	}
	by := boundsOf(in[2])
	if by == nil || n.Text("reduction", "none") != "none" {
		return nil
	}
	return hull(x, by)
}

// replacesNone reports whether a node that replaces elements has none to replace. An empty last
// axis of the indices of ScatterND would name the whole tensor.
func replacesNone(in []Place) bool {
	last := len(in[1].Shape) - 1
	return in[1].Counted == countedEmpty && in[1].Shape[last] > 0
}

// pairBounds returns the bounds of an operator of two inputs, nil if they are not known.
func pairBounds(op string, x, y *Bounds) *Bounds {
	switch op {
	case "Add":
		return &Bounds{x.Low.plus(y.Low), x.High.plus(y.High)}
	case "Sub":
		return &Bounds{x.Low.plus(y.High.scaled(-1)), x.High.plus(y.Low.scaled(-1))}
	case "Mul":
		if y.uniform() {
			x, y = y, x
		}
		return scaledBounds(x, y)
	case "Less":
		return truthOf(x.High.below(y.Low), y.High.atMost(x.Low))
	case "LessOrEqual":
		return truthOf(x.High.atMost(y.Low), y.High.below(x.Low))
	case "Greater":
		return truthOf(y.High.below(x.Low), x.High.atMost(y.Low))
	case "GreaterOrEqual":
		return truthOf(y.High.atMost(x.Low), x.High.below(y.Low))
	case "Equal":
		return truthOf(*x == *y && x.Low == x.High, x.High.below(y.Low) || y.High.below(x.Low))
	case "And":
		return truthOf(*x == *allTrue && *y == *allTrue, *x == *allFalse || *y == *allFalse)
	case "Or":
		return truthOf(*x == *allTrue || *y == *allTrue, *x == *allFalse && *y == *allFalse)
	case "Min":
		return chosenBounds(x, y, func(a, b Line) bool { return a.atMost(b) })
	case "Max":
		return chosenBounds(x, y, func(a, b Line) bool { return b.atMost(a) })
	}
	return nil
}

// scaledBounds returns the bounds of y times the one number of x.
func scaledBounds(x, y *Bounds) *Bounds {
	c := x.Low.Plus
	switch {
	case !x.uniform() || math.IsInf(c, 0):
		return nil
	case c < 0:
		return &Bounds{y.High.scaled(c), y.Low.scaled(c)}
	}
	return &Bounds{y.Low.scaled(c), y.High.scaled(c)}
}

// truthOf returns the bounds of a truth value that is proved to be true, or false, everywhere.
func truthOf(yes, no bool) *Bounds {
	switch {
	case yes:
		return allTrue
	case no:
		return allFalse
	}
	return constantBounds(0, 1)
}

// chosenBounds returns the bounds of Min or Max: first reports whether a line is chosen beside
// another. It returns nil if neither line of a pair is, for bags of any size.
func chosenBounds(x, y *Bounds, first func(a, b Line) bool) *Bounds {
	pick := func(a, b Line) (Line, bool) {
		if first(a, b) {
			return a, true
		}
		return b, first(b, a)
	}
	low, ok := pick(x.Low, y.Low)
	high, too := pick(x.High, y.High)
	if !ok || !too {
		return nil
	}
	return &Bounds{low, high}
}
