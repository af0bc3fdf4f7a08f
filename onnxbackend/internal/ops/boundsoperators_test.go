package ops_test

import (
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestBoundsOfOperators follows bounds that hold for a bag of any size n through operators. Inputs
// with bounds have a place for each instance along axis 0, or are single numbers.
func TestBoundsOfOperators(t *testing.T) {
	const k = 5
	line := func(times, plus float64) ops.Line { return ops.Line{Times: times, Plus: plus} }
	between := func(low, high ops.Line) *ops.Bounds { return &ops.Bounds{Low: low, High: high} }
	fixed := func(v float64) *ops.Bounds { return between(line(0, v), line(0, v)) }
	unknown := &ops.Bounds{} // bounds of an input that has none
	n, yes, no, either := between(line(1, 0), line(1, 0)), fixed(1), fixed(0),
		between(line(0, 0), line(0, 1))
	ones := func(dims ...int) ot.Tensor { return ot.F("", make([]float32, product(dims)), dims...) }
	marks := func(dims ...int) ot.Tensor { return bools(make([]int32, product(dims)), dims...) }
	axes := func(v ...int64) ot.Tensor { return ot.I("", v, len(v)) }
	axis := func(v int64) ot.Tensor { return ot.I("", []int64{v}) }
	from := func(start, step float32) []ot.Tensor {
		return []ot.Tensor{constant(one(start)), one(k), constant(one(step))}
	}
	op := enginetest.Op
	sum := func(keep int64) ot.Node { return op("ReduceSum", ot.Int("keepdims", keep)) }
	to := func(typ int64) ot.Node { return op("Cast", ot.Int("to", typ)) }
	for _, c := range []struct {
		name string
		node ot.Node
		in   []ot.Tensor
		at   []*ops.Bounds // bounds of the inputs, nil for a constant
		out  []int
		want *ops.Bounds
	}{
		{"the sum of ones is n", sum(1), []ot.Tensor{ones(k, 1), axes(0)}, []*ops.Bounds{yes},
			[]int{1, 1}, n},
		{"the sum of threes is 3n", sum(0), []ot.Tensor{ones(k), axes(0)},
			[]*ops.Bounds{fixed(3)}, nil, between(line(3, 0), line(3, 0))},
		{"the sum over both axes", sum(1), []ot.Tensor{ones(k, 1), axes(0, 1)},
			[]*ops.Bounds{yes}, []int{1, 1}, n},
		{"the sum over features too", sum(1), []ot.Tensor{ones(k, 3), axes(0, 1)},
			[]*ops.Bounds{yes}, []int{1, 1}, nil},
		{"the sum over features", sum(1), []ot.Tensor{ones(k, 3), axes(1)}, []*ops.Bounds{yes},
			[]int{k, 1}, nil},
		{"the sum of fractions", sum(1), []ot.Tensor{ones(k, 1), axes(0)},
			[]*ops.Bounds{fixed(.5)}, []int{1, 1}, nil},
		{"the sum of different numbers", sum(1), []ot.Tensor{ones(k, 1), axes(0)},
			[]*ops.Bounds{either}, []int{1, 1}, nil},
		{"the largest", op("ReduceMax"), []ot.Tensor{ones(k, 3), axes(1)}, []*ops.Bounds{either},
			[]int{k, 1}, either},
		{"the mean", op("ReduceMean"), []ot.Tensor{ones(k, 3), axes(1)}, []*ops.Bounds{either},
			[]int{k, 1}, nil},
		{"running sums", op("CumSum"), []ot.Tensor{ones(k), axis(0)}, []*ops.Bounds{fixed(2)},
			[]int{k}, between(line(0, 2), line(2, 0))},
		{"running sums before each", op("CumSum", ot.Int("exclusive", 1)),
			[]ot.Tensor{ones(k), axis(-1)}, []*ops.Bounds{fixed(2)}, []int{k},
			between(line(0, 0), line(2, -2))},
		{"running sums over features", op("CumSum"), []ot.Tensor{ones(k, 3), axis(1)},
			[]*ops.Bounds{yes}, []int{k, 3}, nil},
		{"running sums along no axis", op("CumSum"), []ot.Tensor{ones(k), axis(2)},
			[]*ops.Bounds{yes}, []int{k}, nil},
		{"running sums of negative numbers", op("CumSum"), []ot.Tensor{ones(k), axis(0)},
			[]*ops.Bounds{fixed(-1)}, []int{k}, nil},
		{"running sums of fractions", op("CumSum"), []ot.Tensor{ones(k), axis(0)},
			[]*ops.Bounds{fixed(.5)}, []int{k}, nil},
		{"the first of two", op("Where"), []ot.Tensor{marks(k), ones(k), ones(k)},
			[]*ops.Bounds{yes, n, either}, []int{k}, n},
		{"the second of two", op("Where"), []ot.Tensor{marks(k), ones(k), ones(k)},
			[]*ops.Bounds{no, n, either}, []int{k}, either},
		{"either of two", op("Where"), []ot.Tensor{marks(k), ones(k), ones(k)},
			[]*ops.Bounds{either, n, no}, []int{k}, between(line(0, 0), line(1, 0))},
		{"not true", op("Not"), []ot.Tensor{marks(k)}, []*ops.Bounds{yes}, []int{k}, no},
		{"not false", op("Not"), []ot.Tensor{marks(k)}, []*ops.Bounds{no}, []int{k}, yes},
		{"not known", op("Not"), []ot.Tensor{marks(k)}, []*ops.Bounds{either}, []int{k}, either},
		{"n is true", to(ot.Bool), []ot.Tensor{ones(k)}, []*ops.Bounds{n}, []int{k}, yes},
		{"a negative number is true", to(ot.Bool), []ot.Tensor{ones(k)},
			[]*ops.Bounds{fixed(-2)}, []int{k}, yes},
		{"0 is false", to(ot.Bool), []ot.Tensor{ones(k)}, []*ops.Bounds{no}, []int{k}, no},
		{"0 to n may be either", to(ot.Bool), []ot.Tensor{ones(k)},
			[]*ops.Bounds{between(line(0, 0), line(1, 0))}, []int{k}, either},
		{"n as a double", to(ot.Float64), []ot.Tensor{ones(k)}, []*ops.Bounds{n}, []int{k}, n},
		{"1 as a byte", to(ot.Uint8), []ot.Tensor{ones(k)}, []*ops.Bounds{yes}, []int{k}, yes},
		{"2 as a byte", to(ot.Uint8), []ot.Tensor{ones(k)}, []*ops.Bounds{fixed(2)}, []int{k}, nil},
		{"the type of another", op("CastLike"), []ot.Tensor{ones(k), ones(k)},
			[]*ops.Bounds{yes, yes}, []int{k}, nil},
		{"the same", op("Identity"), []ot.Tensor{ones(k)}, []*ops.Bounds{n}, []int{k}, n},
		{"another layout", op("Unsqueeze"), []ot.Tensor{ones(k), axes(1)}, []*ops.Bounds{n},
			[]int{k, 1}, n},
		{"a sum of two", op("Add"), []ot.Tensor{ones(k), ones(k)}, []*ops.Bounds{n, either},
			[]int{k}, between(line(1, 0), line(1, 1))},
		{"a sum with an unknown one", op("Add"), []ot.Tensor{ones(k), ones(k)},
			[]*ops.Bounds{n, unknown}, []int{k}, nil},
		{"numbers of instances", op("Range"), from(0, 1), []*ops.Bounds{nil, n}, []int{k},
			between(line(0, 0), line(1, -1))},
		{"numbers from 1 to n", op("Range"), from(1, 1),
			[]*ops.Bounds{nil, between(line(1, 1), line(1, 1))}, []int{k},
			between(line(0, 1), line(1, 0))},
		{"numbers from 1 to n-1", op("Range"), from(1, 1), []*ops.Bounds{nil, n}, []int{k - 1},
			nil},
		{"every second number", op("Range"), from(0, 2), []*ops.Bounds{nil, n}, []int{3}, nil},
		{"numbers up to either", op("Range"), from(0, 1),
			[]*ops.Bounds{nil, between(line(1, 0), line(1, 1))}, []int{k}, nil},
		{"a quotient", op("Div"), []ot.Tensor{ones(k), ones(k)}, []*ops.Bounds{n, yes}, []int{k},
			nil},
	} {
		data, in := operatorModel(18, c.node, c.in, 1)
		g := buildGraph(t, data)
		if g == nil {
			t.Errorf("%s: the graph is rejected", c.name)
			continue
		}
		node := &g.Nodes[0]
		var places []ops.Place
		for i, id := range node.In {
			p := placeOf(g, in, id)
			if i < len(c.at) && c.at[i] != nil {
				p = ops.Place{Class: ops.Instance, Shape: p.Shape, Bounds: c.at[i]}
				if len(p.Shape) == 0 {
					p.Class = ops.Whole
				}
				if c.at[i] == unknown {
					p.Bounds = nil
				}
			}
			places = append(places, p)
		}
		out := []ops.Place{{Shape: c.out}}
		node.Row.Axes.Apply(&node.Node, k, places, out)
		got := out[0].Bounds
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
