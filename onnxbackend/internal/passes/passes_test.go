package passes_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// foldTolerance is relative to the largest element of an output: what folding a normalization may
// round.
const foldTolerance = 1e-6

// passesKeep compares every output of a file with passes and without: bit for bit, unless weights
// were folded.
func passesKeep(t *testing.T, with, without *onnxbackend.Model, bag *core.Bag) {
	t.Helper()
	got := must.Get(with.Predict(context.Background(), bag))(t)
	want := must.Get(without.Predict(context.Background(), bag))(t)
	folded := changes(with)["normalization"] > 0
	for i, out := range got.Outputs {
		w := want.Outputs[i]
		must.Equal(t, out.Name, w.Name)
		must.Equal(t, out.Type, w.Type)
		must.EqualSlices(t, out.Shape, w.Shape)
		if folded {
			enginetest.CheckNear(t, out.Name, out.Data, w.Data, foldTolerance)
			continue
		}
		for j, v := range out.Data {
			if math.Float64bits(v) != math.Float64bits(w.Data[j]) {
				t.Fatalf("%s element %d is %v, without passes %v", out.Name, j, v, w.Data[j])
			}
		}
	}
	must.Equal(t, got.Scale, want.Scale)
}

// changes counts what each pass did.
func changes(m *onnxbackend.Model) map[string]int {
	n := map[string]int{}
	for _, p := range m.Passes() {
		if len(p.Changes) > 0 {
			n[p.Name] = len(p.Changes)
		}
	}
	return n
}

func TestPassesKeepZoo(t *testing.T) {
	plain := map[string]*onnxbackend.Model{}
	check := func(t *testing.T, m *onnxbackend.Model, dir, _ string, bag *core.Bag) {
		if plain[dir] == nil {
			plain[dir] = enginetest.OpenTestFile(t, onnxbackend.Options{Plain: true},
				"models/zoo/"+filepath.Base(dir)+"/model.onnx")
		}
		passesKeep(t, m, plain[dir], bag)
		must.Equal(t, len(plain[dir].Passes()), 0, "passes ran in a plain model")
	}
	enginetest.EachZooBag(t, check)
}

func TestPassesKeepTrained(t *testing.T) {
	for _, c := range enginetest.TrainedModels {
		t.Run(c.Name, func(t *testing.T) {
			m := c.Open(t, onnxbackend.Options{})
			bag := enginetest.SetBag(t, c.Bags(t), 0).Select([]int{0, 3, 1, 4, 7})
			passesKeep(t, m, c.Open(t, onnxbackend.Options{Plain: true}), bag)
			must.Equal(t, changes(m)["activation"], c.Layers)
		})
	}
}

// TestPasses names what is rewritten in small graphs, and what must not be.
func TestPasses(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []ot.Node
		want  map[string]int // changes by pass
	}{
		{"bias and activation", ot.Nodes(`a = MatMul(bag, W); c = Add(a, b)
			y = Relu(c)`), map[string]int{"bias": 1, "activation": 1}},
		{"bias on the left, as a row", []ot.Node{enginetest.Binary("MatMul", "bag", "W", "a"),
			enginetest.Binary("Add", "row", "a", "y")}, map[string]int{"bias": 1}},
		{"bias of another rank", ot.Nodes(`a = MatMul(bag, W); c = Add(a, block)
			y = Squeeze(c, axis0)`), nil},
		{"bias that varies by row", ot.Nodes(`bt = Transpose(bag); g = MatMul(bt, bag)
			a = MatMul(g, W); y = Add(a, column)`), nil},
		{"one number for all columns", ot.Nodes(`a = MatMul(bag, W); y = Add(a, one)`), nil},
		{"one number without dimensions", []ot.Node{
			ot.N("Constant", nil, []string{"plus"}, ot.Dense("value", ot.F("", []float32{1}))),
			ot.N("Gather", []string{"W", "axis0"}, []string{"w"}, ot.Int("axis", 1)),
			enginetest.Binary("MatMul", "bag", "w", "a"),
			enginetest.Binary("Add", "a", "plus", "c"),
			ot.N("Concat", []string{"c", "c", "c", "c"}, []string{"y"}, ot.Int("axis", 1))},
			map[string]int{"constants": 2}},
		{"sum of two products", ot.Nodes(`a = MatMul(bag, W); y = Add(a, a)`), nil},
		{"layer that is read twice", []ot.Node{enginetest.Binary("MatMul", "bag", "W", "a"),
			enginetest.Unary("Relu", "a", "c"), enginetest.Binary("Add", "a", "c", "y")}, nil},
		{"layer that is an output", ot.Nodes(`out = MatMul(bag, W); y = Relu(out)`), nil},
		{"product without constant weights", ot.Nodes(`bt = Transpose(bag); s = MatMul(bag, bt)
			r = Relu(s); q = MatMul(r, bag); y = MatMul(q, W)`), nil},
		{"dimensions that an Einsum reorders", ot.Nodes(`t = Einsum<equation="...ij->...ji">(bag)
			y = Einsum<equation="ab->ba">(t)`),
			map[string]int{"transpositions": 2}},
		{"dimensions that an Einsum adds", ot.Nodes(`t = Einsum<equation="ij->j">(bag)
			y = Add(bag, t)`), nil},
		{"leaky", ot.Nodes(`a = Gemm(bag, W, b); y = LeakyRelu<alpha=0.3>(a)`),
			map[string]int{"activation": 1}},
		{"Gemm with factors", ot.Nodes(`a = Gemm<alpha=0.5, beta=3.0>(bag, W, b); y = Tanh(a)`),
			map[string]int{"activation": 1}},
		{"probabilities", ot.Nodes(`a = MatMul(bag, W); y = Sigmoid(a)`),
			map[string]int{"activation": 1}},
		{"two activations", ot.Nodes(`a = MatMul(bag, W); c = Tanh(a)
			y = Sigmoid(c)`), map[string]int{"activation": 1}},
		{"normalization after MatMul and bias",
			ot.Nodes(`a = MatMul(bag, W); c = Add(a, b)
				d = BatchNormalization(c, scale, shift, mean, variance); y = Relu(d)`),
			map[string]int{"bias": 1, "normalization": 1, "activation": 1}},
		{"normalization after Gemm", []ot.Node{ot.N("Gemm", []string{"bag", "Wt", "one"},
			[]string{"a"}, ot.Int("transB", 1), ot.Float("alpha", .5), ot.Float("beta", 2)),
			enginetest.Normalizer("a", "y")}, map[string]int{"normalization": 1}},
		{"normalization after Gemm that adds nothing",
			[]ot.Node{ot.N("Gemm", []string{"bag", "W", "b"}, []string{"a"}, ot.Float("beta", 0)),
				enginetest.Normalizer("a", "y")}, map[string]int{"normalization": 1}},
		{"normalization before Gemm", []ot.Node{enginetest.Unary("Elu", "bag", "e"),
			enginetest.Normalizer("e", "a"),
			ot.N("Gemm", []string{"a", "Wt", "b"}, []string{"y"}, ot.Int("transB", 1),
				ot.Float("alpha", -.5), ot.Float("beta", 2))}, map[string]int{"normalization": 1}},
		{"normalization before a MatMul of a batch", ot.Nodes(`bt = Transpose(bag)
			g = MatMul(bt, bag); a = Reshape(g, square)
			c = BatchNormalization(a, scale, shift, mean, variance); d = MatMul(c, W)
			y = Reshape(d, flat)`), nil},
		{"normalization before a transposed Gemm", ot.Nodes(`bt = Transpose(bag)
			g = MatMul(bt, bag); c = BatchNormalization(g, scale, shift, mean, variance)
			y = Gemm<transA=1>(c, W)`), nil},
		{"normalization before MatMul", []ot.Node{enginetest.Normalizer("bag", "a"),
			enginetest.Binary("MatMul", "a", "W", "y")}, map[string]int{"normalization": 1}},
		{"normalization between layers", []ot.Node{enginetest.Binary("MatMul", "bag", "W", "a"),
			enginetest.Normalizer("a", "c"), enginetest.Binary("MatMul", "c", "W", "y")},
			map[string]int{"normalization": 1}},
		{"normalization of rows", []ot.Node{enginetest.Binary("Unsqueeze", "bag", "axis2", "a"),
			enginetest.Normalizer("a", "c"), enginetest.Binary("Squeeze", "c", "axis2", "d"),
			enginetest.Binary("MatMul", "d", "W", "y")},
			nil},
		{"normalization of matrices in a batch",
			ot.Nodes(`bt = Transpose(bag); g = MatMul(bt, bag); a = Reshape(g, square)
				c = MatMul(a, W); d = BatchNormalization(c, scale, shift, mean, variance)
				y = Reshape(d, flat)`), nil},
		{"normalization before a transposed factor",
			ot.Nodes(`bt = Transpose(bag); s = MatMul(bag, bt); q = MatMul(s, bag)
				y = BatchNormalization(q, scale, shift, mean, variance)`), nil},
		{"convolution", ot.Nodes(`a = Reshape(bag, picture); c = Conv<pads=[1, 1, 1, 1]>(a, K, two)
			d = BatchNormalization(c, scale2, shift2, shift2, scale2); e = Relu(d)
			f = Reshape(e, flat8); y = MatMul(f, W8)`),
			map[string]int{"normalization": 1, "activation": 1}},
		{"convolution by groups", ot.Nodes(`a = Reshape(bag, pairs); c = Conv<group=2>(a, G)
			d = BatchNormalization(c, scale2, shift2, shift2, scale2); e = LeakyRelu(d)
			y = Reshape(e, flat)`),
			map[string]int{"normalization": 1, "activation": 1}},
		{"identities", ot.Nodes(`a = Identity(bag); c = Dropout(a); d = Cast<to=1>(c)
			e = Transpose<perm=[0, 1]>(d); f = Reshape(e, same); g = Flatten(f)
			y = MatMul(g, W)`), map[string]int{"identities": 6}},
		{"not quite identities", ot.Nodes(`a = Cast<to=10>(bag); c = Cast<to=1>(a)
			d = Reshape(c, flat); e = Transpose<perm=[1, 0]>(d)
			y = Transpose(e)`), map[string]int{"identities": 2}},
		{"identity that is an output", ot.Nodes(`out = Identity(bag); y = MatMul(out, W)`), nil},
		{"size of a feature", ot.Nodes(`s = Shape(bag); n = Gather(s, i1); m = Mul(n, i1)
			f = Cast<to=1>(m); y = Div(bag, f)`),
			map[string]int{"sizes": 3, "dead": 1}},
		{"number of instances", ot.Nodes(`s = Shape(bag); n = Gather(s, i0); f = Cast<to=1>(n)
			y = Div(bag, f)`), nil},
		{"dead code", ot.Nodes(`a = Relu(bag); c = Tanh(a)
			y = MatMul(bag, W)`), map[string]int{"dead": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := enginetest.PassModel(c.nodes).Bytes()
			with := enginetest.Open(t, data, onnxbackend.Options{})
			without := enginetest.Open(t, data, onnxbackend.Options{Plain: true})
			got := changes(with)
			for name, n := range got {
				must.Equal(t, c.want[name], n, name, c.want, with.Passes())
			}
			for name := range c.want {
				must.Equal(t, got[name] != 0, true, name, with.Passes())
			}
			for _, k := range []int{1, 4, 5} {
				passesKeep(t, with, without, enginetest.SmallBag(k, 4))
				enginetest.CheckStrategyEqualsPlain(t,
					enginetest.OpenAndBind(t, data, onnxbackend.Options{},
						enginetest.SmallBag(k, 4)), data,
					enginetest.SmallBag(k, 4))
			}
		})
	}
}

// TestInfiniteNormalizationStays keeps a normalization by a variance of zero, because fused weights
// would be infinite.
func TestInfiniteNormalizationStays(t *testing.T) {
	nodes := ot.Nodes(`a = MatMul(bag, W)
		y = BatchNormalization<epsilon=0.0>(a, scale, shift, mean, zeros)`)
	m := enginetest.Open(t, enginetest.PassModel(nodes).Bytes(), onnxbackend.Options{})
	must.Equal(t, len(changes(m)), 0)
}
