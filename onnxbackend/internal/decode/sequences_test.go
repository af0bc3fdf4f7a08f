package decode_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// sequenceModel is a model whose nodes compute y of a bag of three features: scores are the sums
// of y over the instances. zero, one and last are indices, row is a constant instance.
func sequenceModel(nodes ...ot.Node) ot.Model {
	return ot.Model{
		Opset:  17,
		Inputs: []ot.Value{ot.In("bag", "k", 3)}, Outputs: []ot.Value{ot.In("scores", "n")},
		Initializers: []ot.Tensor{ot.I("zero", []int64{0}), ot.I("one", []int64{1}),
			ot.I("last", []int64{-1}), ot.I("lengths", []int64{1, 2}, 2),
			ot.F("row", []float32{2, 3, 5}, 1, 3), ot.I("axis", []int64{0}, 1)},
		Nodes: append(nodes,
			ot.N("ReduceSum", []string{"y", "axis"}, []string{"scores"}, ot.Int("keepdims", 0))),
	}
}

// construct makes a sequence s of tensors.
func construct(names ...string) ot.Node { return ot.N("SequenceConstruct", names, []string{"s"}) }

// join concatenates sequence s along an axis to y.
func join(s string, axis int64) ot.Node {
	return ot.N("ConcatFromSequence", []string{s}, []string{"y"}, ot.Int("axis", axis))
}

// double is a body that doubles a tensor and adds the outer value row.
func double(with ...ot.Tensor) ot.Attribute {
	return ot.Body("body", ot.Model{Inputs: []ot.Value{ot.In("item")},
		Outputs: []ot.Value{ot.In("result")}, Initializers: with,
		Nodes: []ot.Node{enginetest.Binary("Mul", "item", with[0].Name, "scaled"),
			enginetest.Binary("Add", "scaled", "row", "result")}})
}

// TestSequences compares models that make and read sequences with models without them. The latter
// are the nodes that a person would write in their place.
func TestSequences(t *testing.T) {
	concat := func(axis int64, names ...string) ot.Node {
		return ot.N("Concat", names, []string{"y"}, ot.Int("axis", axis))
	}
	twice := enginetest.Binary("Add", "bag", "bag", "twice")
	two := ot.F("two", []float32{2})
	for _, c := range []struct {
		name        string
		nodes, twin []ot.Node
	}{
		{"vstack", []ot.Node{construct("row", "bag"), join("s", 0)},
			[]ot.Node{concat(0, "row", "bag")}},
		{"one tensor", []ot.Node{construct("bag"), join("s", 1)}, []ot.Node{concat(0, "bag")}},
		{"stack", ot.Nodes(`twice = Add(bag, bag); s = SequenceConstruct(bag, twice)
			z = ConcatFromSequence<axis=1, new_axis=1>(s); y = ReduceMax<axes=[1], keepdims=0>(z)`),
			[]ot.Node{twice, enginetest.Binary("Max", "bag", "twice", "y")}},
		{"element", []ot.Node{twice, construct("bag", "row", "twice"),
			ot.N("SequenceAt", []string{"s", "last"}, []string{"y"})},
			[]ot.Node{twice, enginetest.Unary("Identity", "twice", "y")}},
		{"alias", []ot.Node{construct("row", "bag"), enginetest.Unary("Identity", "s", "s2"),
			ot.N("SequenceAt", []string{"s2", "one"}, []string{"y"})},
			[]ot.Node{enginetest.Unary("Identity", "bag", "y")}},
		{"index of a node", ot.Nodes(`s = SequenceConstruct(row, bag); i = Constant<value_int=1>()
			y = SequenceAt(s, i)`),
			[]ot.Node{enginetest.Unary("Identity", "bag", "y")}},
		{"insert", ot.Nodes(`e = SequenceEmpty(); f = SequenceInsert(e, bag)
			g = SequenceInsert(f, row, zero); y = ConcatFromSequence<axis=0>(g)`),
			[]ot.Node{concat(0, "row", "bag")}},
		{"erase", ot.Nodes(`twice = Add(bag, bag); s = SequenceConstruct(twice, bag, row)
			e = SequenceErase(s); f = SequenceErase(e, zero); y = ConcatFromSequence<axis=0>(f)`),
			[]ot.Node{concat(0, "bag")}},
		{"length", ot.Nodes(`s = SequenceConstruct(bag, row); n = SequenceLength(s)
			f = Cast<to=1>(n); y = Mul(bag, f)`), []ot.Node{twice,
			enginetest.Unary("Identity", "twice", "y")}},
		{"split", ot.Nodes(`s = SplitToSequence<axis=1>(bag, lengths); y = SequenceAt(s, one)`),
			ot.Nodes(`first, y = Split<axis=1>(bag, lengths)`)},
		{"map", []ot.Node{construct("bag", "row"),
			ot.N("SequenceMap", []string{"s"}, []string{"mapped"}, double(two)), join("mapped", 0)},
			ot.Nodes(`twice = Add(bag, bag); a = Add(twice, row); b = Add(row, row)
				c = Add(b, row); y = Concat<axis=0>(a, c)`)},
		{"map of two sequences", []ot.Node{twice, construct("bag", "twice"),
			ot.N("SequenceConstruct", []string{"row", "bag"}, []string{"other"}),
			ot.N("SequenceMap", []string{"s", "other", "row"}, []string{"mapped"},
				ot.Body("body", ot.Model{Inputs: []ot.Value{ot.In("a"), ot.In("b"), ot.In("c")},
					Outputs: []ot.Value{ot.In("d")}, Nodes: ot.Nodes(`ab = Mul(a, b)
						d = Add(ab, c)`)})), join("mapped", 1)},
			ot.Nodes(`twice = Add(bag, bag); a = Mul(bag, row); b = Add(a, row)
				c = Mul(twice, bag); d = Add(c, row); y = Concat<axis=1>(b, d)`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := sumsOf(t, sequenceModel(c.twin...))
			enginetest.CheckNear(t, "scores", sumsOf(t, sequenceModel(c.nodes...)), want, 0)
		})
	}
}

// sumsOf predicts a bag of seven instances.
func sumsOf(t *testing.T, m ot.Model) []float64 {
	t.Helper()
	opened := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	p := must.Get(opened.Predict(context.Background(), enginetest.SmallBag(7, 3)))(t)
	return p.Scores
}

// TestSequencesInFunctions checks that a function of the model may read the caller's sequence.
func TestSequencesInFunctions(t *testing.T) {
	call := ot.N("Stacked", []string{"s"}, []string{"y"})
	call.Domain = "local"
	m := sequenceModel(construct("row", "bag"), call)
	m.Domains = map[string]int{"local": 1}
	m.Functions = []ot.Function{{Name: "Stacked", Domain: "local", Opset: 17, In: []string{"list"},
		Out: []string{"y"}, Nodes: []ot.Node{join("list", 0)}}}
	twin := sequenceModel(ot.N("Concat", []string{"row", "bag"}, []string{"y"}, ot.Int("axis", 0)))
	enginetest.CheckNear(t, "scores", sumsOf(t, m), sumsOf(t, twin), 0)
}

// TestUnknownSequences checks that sequences which a run alone determines are refused, with the
// node and the way out.
func TestUnknownSequences(t *testing.T) {
	output := sequenceModel(construct("bag"))
	output.Nodes, output.Outputs = output.Nodes[:1], []ot.Value{ot.In("s")}
	for _, c := range []struct {
		name, want string
		model      ot.Model
	}{
		{"computed index", "only when the model runs", sequenceModel(
			ot.Nodes(`s = SequenceConstruct(row, bag); i = Add(zero, one)
				y = SequenceAt(s, i)`)...)},
		{"index outside", "outside of a sequence of 1", sequenceModel(construct("bag"),
			ot.N("SequenceAt", []string{"s", "one"}, []string{"y"}))},
		{"empty", "empty sequence", sequenceModel(ot.N("SequenceEmpty", nil, []string{"s"}),
			join("s", 0))},
		{"erase from empty", "empty sequence", sequenceModel(
			ot.N("SequenceEmpty", nil, []string{"s"}),
			ot.N("SequenceErase", []string{"s"}, []string{"e"}), join("e", 0))},
		{"split into rows", "depends on a shape", sequenceModel(
			ot.N("SplitToSequence", []string{"bag"}, []string{"s"}), join("s", 0))},
		{"tensor in place of a sequence", "number of tensors", sequenceModel(join("bag", 0))},
		{"sequence in place of a tensor", "reads a sequence", sequenceModel(construct("bag"),
			enginetest.Unary("Relu", "s", "y"))},
		{"sequence of sequences", "sequence of sequences", sequenceModel(construct("bag"),
			ot.N("SequenceConstruct", []string{"s"}, []string{"y"}))},
		{"lengths", "2 and 1 tensors", sequenceModel(construct("bag", "row"),
			ot.N("SequenceConstruct", []string{"row"}, []string{"other"}),
			ot.N("SequenceMap", []string{"s", "other"}, []string{"m"}, ot.Body("body",
				ot.Model{Inputs: []ot.Value{ot.In("a"), ot.In("b")},
					Outputs: []ot.Value{ot.In("a")}})), join("m", 0))},
		{"no body", "body", sequenceModel(construct("bag"),
			ot.N("SequenceMap", []string{"s"}, []string{"m"}), join("m", 0))},
		{"no index", "1 inputs", sequenceModel(construct("bag"),
			ot.N("SequenceAt", []string{"s"}, []string{"y"}))},
		{"output", "tensors as outputs", output},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := onnxbackend.Open(c.model.Bytes(), onnxbackend.Options{})
			var gap *onnxbackend.UnsupportedError
			must.As(t, err, &gap, c.want)
		})
	}
}

// TestSequencesAreBounded checks that lists which grow by insertion, a quadratic number of names
// for a small file, are refused.
func TestSequencesAreBounded(t *testing.T) {
	nodes := []ot.Node{construct("bag")}
	for i := range 5000 {
		name := fmt.Sprint("s", i)
		nodes = append(nodes,
			ot.N("SequenceInsert", []string{nodes[i].Out[0], "bag"}, []string{name}))
	}
	last := nodes[len(nodes)-1].Out[0]
	model := sequenceModel(append(nodes, join(last, 0))...)
	_, err := onnxbackend.Open(model.Bytes(), onnxbackend.Options{})
	var limit *onnxbackend.LimitError
	must.As(t, err, &limit, "bytes of sequences")
}
