package ops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// pairOps compute the operators whose bounds pairBounds states, element by element.
var pairOps = map[string]func(x, y float64) float64{
	"Add":            func(x, y float64) float64 { return x + y },
	"Sub":            func(x, y float64) float64 { return x - y },
	"Mul":            func(x, y float64) float64 { return x * y },
	"Min":            math.Min,
	"Max":            math.Max,
	"Less":           func(x, y float64) float64 { return truth(x < y) },
	"LessOrEqual":    func(x, y float64) float64 { return truth(x <= y) },
	"Greater":        func(x, y float64) float64 { return truth(x > y) },
	"GreaterOrEqual": func(x, y float64) float64 { return truth(x >= y) },
	"Equal":          func(x, y float64) float64 { return truth(x == y) },
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// randomBounds returns lines of small whole numbers, the higher one above the lower one for every
// number of instances.
func randomBounds(r *rand.Rand) *Bounds {
	low := Line{float64(r.IntN(4) - 1), float64(r.IntN(7) - 3)}
	return &Bounds{low, low.plus(Line{float64(r.IntN(2)), float64(r.IntN(3))})}
}

func (x Line) of(n int) float64 { return x.Times*float64(n) + x.Plus }

// TestPairBounds computes operators on elements at both ends of random bounds, for bags of 1 to 12
// instances: the results must lie within the bounds of the result.
func TestPairBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	known := map[string]int{}
	for range 4000 {
		x, y := randomBounds(r), randomBounds(r)
		for op, compute := range pairOps {
			b := pairBounds(op, x, y)
			if b == nil {
				continue
			}
			if b.uniform() {
				known[op]++
			}
			for n := 1; n <= 12; n++ {
				for _, v := range []float64{x.Low.of(n), x.High.of(n)} {
					for _, w := range []float64{y.Low.of(n), y.High.of(n)} {
						if z := compute(v, w); z < b.Low.of(n) || z > b.High.of(n) {
							t.Fatalf("%s of %v and %v is %v for %d instances, outside of %v", op,
								x, y, z, n, b)
						}
					}
				}
			}
		}
	}
	for op := range pairOps {
		must.Equal(t, known[op] != 0, true, op)
	}
}

// TestBoundsOfTruth combines truth values that are false, true or either, as three-valued logic
// does.
func TestBoundsOfTruth(t *testing.T) {
	either := constantBounds(0, 1)
	known := []*Bounds{allFalse, allTrue, either}
	for i, x := range known {
		for j, y := range known {
			and, or := pairBounds("And", x, y), pairBounds("Or", x, y)
			wantAnd, wantOr := either, either
			if i == 0 || j == 0 {
				wantAnd = allFalse
			} else if i == 1 && j == 1 {
				wantAnd = allTrue
			}
			if i == 1 || j == 1 {
				wantOr = allTrue
			} else if i == 0 && j == 0 {
				wantOr = allFalse
			}
			must.Equal(t, *and, *wantAnd, x, y, and, wantAnd, or, wantOr)
			must.Equal(t, *or, *wantOr, x, y, and, wantAnd, or, wantOr)
		}
	}
}

// TestHull checks that the hull of bounds holds both, and that it exists for nested ones.
func TestHull(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		x, y := randomBounds(r), randomBounds(r)
		b := hull(x, y)
		if b == nil {
			if x.Low.atMost(y.Low) && y.High.atMost(x.High) {
				t.Fatalf("%v holds %v, and they have no hull", x, y)
			}
			continue
		}
		for n := 1; n <= 12; n++ {
			if b.Low.of(n) > min(x.Low.of(n), y.Low.of(n)) ||
				b.High.of(n) < max(x.High.of(n), y.High.of(n)) {
				t.Fatalf("the hull of %v and %v is %v", x, y, b)
			}
		}
	}
}

// TestInexactBounds: numbers that a cast cuts, or that 32-bit floats round, have no bounds.
func TestInexactBounds(t *testing.T) {
	half, n := constantBounds(.5, .5), &Bounds{Line{1, 0}, Line{1, 0}}
	cast := func(to tensor.Type) *Node {
		return &Node{Node: compute.Node{Op: "Cast", Attributes: []decode.Attribute{
			{Name: "to", Kind: decode.KindInt, Int: int64(to)}}}}
	}
	must.Equal(t, castBounds(cast(tensor.Int64), half) == nil, true)
	if b := castBounds(cast(tensor.Int64), n); b == nil || *b != *n {
		t.Errorf("n as an integer has bounds %v", b)
	}
	must.Equal(t, castBounds(cast(tensor.Float16), n) == nil, true)
	for _, c := range []struct {
		b    *Bounds
		want bool
	}{
		{half, true}, {n, true}, {constantBounds(.1, .1), false},
		{pairBounds("Add", n, half), false}, {pairBounds("Sub", n, allTrue), true},
	} {
		must.Equal(t, c.b.exact(), c.want, c.b)
	}
}
