package auxinput_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A lensModel pools a batch of one bag, "bag" (1, k, 3), by attention or by a mean. Nodes make
// "keep" (1, k), which is true before the length of the bag, and apply it.
func lensModel(lens ot.Value, nodes ...ot.Node) ot.Model {
	m := enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", 1, "k", 3), lens}, nodes...)
	m.Opset = 16
	m.Initializers = append(m.Initializers, ot.I("0", []int64{0}), ot.I("1", []int64{1}),
		ot.I("row", []int64{1, -1}, 2), ot.I("each", []int64{1, 1}, 2),
		ot.I("begin", []int64{0}, 1), ot.I("whole", []int64{1}, 1),
		ot.I("last", []int64{math.MaxInt64}, 1),
		ot.F("-inf", []float32{-1e30}), ot.F("-10000", []float32{-1e4}))
	return m
}

// places returns nodes that number the instances, "places" (1, k), from 0.
func places() []ot.Node {
	return ot.Nodes(`sides = Shape(bag); sides of a = Shape(a); many = Gather(sides, 1)
		numbered = Range(0, many, 1); places = Reshape(numbered, row)`)
}

// attend returns nodes that pool h by a softmax over the column "b".
func attend() []ot.Node {
	return ot.Nodes(`w = Softmax<axis=0>(b); wt = Transpose(w); p = MatMul(wt, h)`)
}

// kept returns nodes that exclude instances from the attention a where keep is false.
func kept() []ot.Node {
	return append(ot.Nodes(`c = Reshape(keep, column); b = Where(c, a, low)`), attend()...)
}

// summed returns nodes that average h over the instances where keep is true.
func summed() []ot.Node {
	return append([]ot.Node{enginetest.Unary("Identity", "keep", "mask")},
		enginetest.MaskedMean()...)
}

// TestLengthsInTheGraph opens models that mask a bag by its length inside of the graph. Their
// scores and the strategy of their coalitions are those of the same models without the mask.
func TestLengthsInTheGraph(t *testing.T) {
	int64s := enginetest.InputOf(ot.In("lens", 1), ot.Int64)
	less := enginetest.Binary("Less", "places", "lens", "keep")
	cast := func(from, to string, typ int64) ot.Node {
		return ot.N("Cast", []string{from}, []string{to}, ot.Int("to", typ))
	}
	scores := map[string]ot.Model{
		"attention": enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", 1, "k", 3)},
			append([]ot.Node{enginetest.Unary("Identity", "a", "b")}, attend()...)...),
		"mean": enginetest.AuxiliaryModel([]ot.Value{ot.In("bag", 1, "k", 3)},
			ot.N("ReduceMean", []string{"h"}, []string{"p"}, ot.Ints("axes", 0))),
	}
	for _, c := range []struct {
		name, twin string
		lens       ot.Value
		mask, pool []ot.Node
	}{
		{"below the length", "attention", int64s, []ot.Node{less}, kept()},
		{"above the places", "attention", int64s,
			[]ot.Node{enginetest.Binary("Greater", "lens", "places", "keep")}, kept()},
		{"padding is filled", "attention", int64s,
			ot.Nodes(`pad = GreaterOrEqual(places, lens); c = Reshape(pad, column)
				b = Where(c, low, a)`), attend()},
		{"not padding", "attention", int64s,
			ot.Nodes(`k = Less(places, lens); pad = Not(k); keep = Not(pad)`),
			kept()},
		{"a row for each bag", "attention", int64s, ot.Nodes(`rows of places = Tile(places, each)
			columns = Unsqueeze(lens, axis1); keep = Less(rows of places, columns)`), kept()},
		{"a mask of the attention's shape", "attention", int64s, []ot.Node{less,
			enginetest.Binary("Reshape", "keep", "column", "c"),
			enginetest.Binary("Expand", "c", "sides of a", "all"),
			ot.N("ConstantOfShape", []string{"sides of a"}, []string{"lows"},
				ot.Dense("value", ot.F("", []float32{-1e10}, 1))),
			ot.N("Where", []string{"all", "a", "lows"}, []string{"b"})}, attend()},
		{"added", "attention", int64s, ot.Nodes(`keep = Less(places, lens); m = Cast<to=1>(keep)
			left = Sub(one, m); term = Mul(left, -10000); c = Reshape(term, column)
			b = Add(a, c)`), attend()},
		{"numbers", "attention", ot.In("lens", 1), []ot.Node{cast("places", "f", ot.Float32),
			enginetest.Binary("Less", "f", "lens", "keep")}, kept()},
		{"int32", "attention", enginetest.InputOf(ot.In("lens", 1, 1), ot.Int32),
			ot.Nodes(`l = Cast<to=7>(lens); keep = Less(places, l)`), kept()},
		{"scalar", "attention", enginetest.InputOf(ot.In("lens"), ot.Int64), []ot.Node{less},
			kept()},
		{"of a batch", "attention", enginetest.InputOf(ot.In("lens", "b"), ot.Int64),
			[]ot.Node{less}, kept()},
		{"up to the longest", "attention", int64s, ot.Nodes(`longest = ReduceMax<keepdims=0>(lens)
			numbers = Range(0, longest, 1); keep = Less(numbers, lens)`), kept()},
		{"two masks", "attention", int64s, ot.Nodes(`keep = Less(places, lens)
			at least one = Max(lens, 1); pad = LessOrEqual(at least one, places); second = Not(pad)
			both = And(keep, second); c = Reshape(both, column); b = Where(c, a, low)`), attend()},
		{"running sums", "attention", int64s, []ot.Node{
			ot.N("ConstantOfShape", []string{"sides of a"}, []string{"ones"},
				ot.Dense("value", ot.F("", []float32{1}, 1))),
			enginetest.Binary("CumSum", "ones", "0", "numbers"), cast("lens", "l", ot.Float32),
			enginetest.Binary("LessOrEqual", "numbers", "l", "keep")}, kept()},
		{"padding is overwritten", "attention", int64s, []ot.Node{
			ot.N("ConstantOfShape", []string{"sides of a"}, []string{"ones"},
				ot.Dense("value", ot.F("", []float32{1}, 1))),
			ot.N("Slice", []string{"numbered", "lens", "last", "axis0"}, []string{"padding"}),
			enginetest.Binary("Unsqueeze", "padding", "axis1", "where"),
			enginetest.Binary("Mul", "ones", "zero", "zeros"),
			ot.N("Slice", []string{"zeros", "lens", "last", "axis0"}, []string{"none"}),
			ot.N("ScatterND", []string{"ones", "where", "none"}, []string{"marked"}),
			cast("marked", "keep", ot.Bool)}, kept()},
		{"attention is overwritten", "attention", int64s, ot.Nodes(`
			padding = Slice(numbered, lens, last, axis0); where = Unsqueeze(padding, axis1)
			lows = Add(a, -10000); none = Slice(lows, lens, last, axis0)
			b = ScatterND(a, where, none)`), attend()},
		{"cut", "attention", int64s, ot.Nodes(`b = Slice(a, begin, lens, axis0)`), attend()},
		{"multiplied", "mean", int64s, []ot.Node{less}, summed()},
		{"counted", "mean", int64s, []ot.Node{less}, append(summed()[:5:5],
			cast("lens", "l", ot.Float32), enginetest.Binary("Div", "s", "l", "p"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := lensModel(c.lens, slices.Concat(places(), c.mask, c.pool)...)
			for _, k := range []int{1, 2, 5, 20} {
				bag := enginetest.SmallBag(k, 3)
				b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
				if k > 1 && b.Strategy() != c.twin {
					t.Errorf("strategy %s for %d instances, want %s: %s", b.Strategy(), k, c.twin,
						enginetest.EvaluatorOf(b).WhyNot)
				}
				enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
				enginetest.CheckNear(t, "scores", predicted(t, m.Bytes(), "", bag),
					predicted(t, scores[c.twin].Bytes(), "", bag), 1e-6)
			}
		})
	}
}

// TestMasksThatDependOnTheBag opens models whose masks are not the same for every bag, or depend on
// the order of the instances. Their coalitions must not be pooled as if the mask were true.
func TestMasksThatDependOnTheBag(t *testing.T) {
	int64s := enginetest.InputOf(ot.In("lens", 1), ot.Int64)
	for name, mask := range map[string][]ot.Node{
		"the first seven": {enginetest.Binary("Less", "places", "seven", "keep")},
		"all but the last": ot.Nodes(`fewer = Sub(lens, 1); after = Less(places, fewer)
			first = Less(places, 1); keep = Or(after, first)`),
		"half": ot.Nodes(`twice = Add(places, places); keep = Less(twice, lens)`),
		"large bags": ot.Nodes(`large = Less(seven, lens); all = GreaterOrEqual(places, 0)
			keep = And(large, all)`),
		"cut before the end": {enginetest.Binary("Sub", "lens", "1", "fewer"),
			enginetest.Binary("Reshape", "fewer", "whole", "end"),
			enginetest.Binary("Reshape", "lens", "whole", "all"),
			ot.N("ConstantOfShape", []string{"all"}, []string{"ones"},
				ot.Dense("value", ot.I("", []int64{1}, 1))),
			ot.N("Slice", []string{"numbered", "end", "last", "axis0"}, []string{"cut"}),
			enginetest.Binary("Reshape", "cut", "column", "where"),
			enginetest.Binary("Mul", "cut", "0", "zeros"),
			ot.N("ScatterND", []string{"ones", "where", "zeros"}, []string{"marked"}),
			ot.N("Cast", []string{"marked"}, []string{"keep"}, ot.Int("to", ot.Bool))},
	} {
		t.Run(name, func(t *testing.T) {
			m := lensModel(int64s, slices.Concat(places(), mask, kept())...)
			m.Initializers = append(m.Initializers, ot.I("seven", []int64{7}))
			card := []byte(`{"inputs": {"lens": "count"}}`)
			bag := enginetest.SmallBag(20, 3)
			m.Metadata = map[string]string{"bagscope": string(card)}
			b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
			enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
			must.Equal(t, b.Strategy() != "attention", true, "the mask was taken to be true")
		})
	}
}
