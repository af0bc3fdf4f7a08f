package enginetest

import (
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// AuxiliaryModel encodes instances "x" (k, 3) as "h" (k, 4) with a weight "a" (k, 1) each, and
// reads two classes from "p" (1, 4).
func AuxiliaryModel(inputs []ot.Value, nodes ...ot.Node) ot.Model {
	r := rand.New(rand.NewPCG(5, 5))
	w := make([]float32, 24)
	for i := range w {
		w[i] = float32(r.NormFloat64())
	}
	m := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.F("W", w[:12], 3, 4), ot.F("V", w[12:16], 4, 1), ot.F("head", w[16:24], 4, 2),
			ot.I("axis0", []int64{0}, 1), ot.I("axis1", []int64{1}, 1),
			ot.I("column", []int64{-1, 1}, 2), ot.I("line", []int64{1, 4}, 2),
			ot.I("rows", []int64{-1, 3}, 2),
			ot.F("one", []float32{1}), ot.F("low", []float32{-1e9}), ot.F("zero", []float32{0}),
		},
		Inputs:  inputs,
		Outputs: []ot.Value{ot.In("logits", 1, 2)},
	}
	m.Nodes = append(m.Nodes,
		ot.Nodes(`x = Reshape(bag, rows); g = MatMul(x, W); h = Tanh(g); a = MatMul(h, V)`)...)
	m.Nodes = append(m.Nodes, nodes...)
	m.Nodes = append(m.Nodes, ot.N("MatMul", []string{"p", "head"}, []string{"logits"}))
	return m
}

// MaskedMean returns nodes that average h over the instances at which the mask is one, as "p".
func MaskedMean() []ot.Node {
	return ot.Nodes(`m = Cast<to=1>(mask); c = Reshape(m, column); hm = Mul(h, c)
		s = ReduceSum(hm, axis0); n = ReduceSum(c, axis0); p = Div(s, n)`)
}

// InputOf returns an input with another type.
func InputOf(v ot.Value, t int) ot.Value {
	v.Type = t
	return v
}

// PaddedModel takes a batch of bags with a mask and, as its card states, the number of instances.
func PaddedModel() ot.Model {
	m := AuxiliaryModel([]ot.Value{ot.In("bag", "b", "k", 3),
		InputOf(ot.In("mask", "b", "k"), ot.Bool), InputOf(ot.In("n", "b"), ot.Int64)},
		append(MaskedMean()[:4:4],
			ot.Nodes(`f = Cast<to=1>(n); p = Div(s, f)`)...)...)
	m.Metadata = map[string]string{"bagscope": `{"inputs": {"n": "count"}}`}
	return m
}

// AttentionModel is a small model with every stage: per-instance layers, pooling, two outputs, a
// card.
func AttentionModel() ot.Model {
	return ot.Model{
		Opset: 13,
		Metadata: map[string]string{
			"bagscope": `{"classes": ["no", "yes"], "inherent": "weights"}`},
		Initializers: []ot.Tensor{
			ot.F("W", []float32{1, -1, .5, 2, .25, -.5}, 2, 3),
			ot.F("b", []float32{0, .1, .2}, 3),
			ot.F("v", []float32{1, -2, .5}, 3, 1),
			ot.F("o", []float32{1, 0, -1, 2, .5, .5}, 3, 2),
			ot.I("axes", []int64{0}, 1),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("logits", 2), ot.In("weights", "k", 1)},
		Nodes: ot.Nodes(`h = Gemm(bag, W, b); t = Tanh(h); s = MatMul(t, v)
			weights = Softmax<axis=0>(s); wt = Mul(weights, t)
			pool = ReduceSum<keepdims=0>(wt, axes); logits = MatMul(pool, o)`),
	}
}

// SmallBag returns k random instances of width features, the same each time.
func SmallBag(k, width int) *core.Bag {
	r := rand.New(rand.NewPCG(uint64(k), uint64(width)))
	b := &core.Bag{Name: "small", Shape: []int{width}}
	for range k * width {
		b.Values = append(b.Values, float32(r.NormFloat64()))
	}
	return b
}

// SumModel sums its input over all axes but the last, so that it takes input of any layout.
func SumModel(card string, dims ...any) ot.Model {
	var axes []int64
	for i := range len(dims) - 1 {
		axes = append(axes, int64(i))
	}
	m := ot.Model{
		Opset:        13,
		Initializers: []ot.Tensor{ot.I("axes", axes, len(axes))},
		Inputs:       []ot.Value{ot.In("bag", dims...)},
		Outputs:      []ot.Value{ot.In("scores", dims[len(dims)-1])},
		Nodes:        ot.Nodes(`scores = ReduceSum<keepdims=0>(bag, axes)`),
	}
	if card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	return m
}

// TopModel averages the m highest scores that a linear layer gives instances of 4 features, for
// each of 2 classes.
func TopModel(m int) ot.Model {
	return ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("logits", 2)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -2, 3, 1, -1, 2, 0, 1}, 4, 2),
			ot.I("m", []int64{int64(m)}, 1)},
		Nodes: ot.Nodes(`each = MatMul(bag, W); top,  = TopK<axis=0>(each, m)
			logits = ReduceMean<axes=[0], keepdims=0>(top)`),
	}
}

// ScoreModel pools the bag's 4 features by their mean, takes them through a linear layer of some
// classes to "l", and ends as the nodes say, in "scores".
func ScoreModel(card string, classes int, nodes ...ot.Node) ot.Model {
	w := make([]float32, 4*classes)
	for i := range w {
		w[i] = float32(math.Sin(float64(3*i + 1)))
	}
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("scores", classes)},
		Initializers: []ot.Tensor{ot.F("W", w, 4, classes), ot.F("one", []float32{1}, 1),
			ot.F("two", []float32{2}, 1), ot.I("axis0", []int64{0}, 1),
			ot.I("last", []int64{-1}, 1), ot.I("top", []int64{2}, 1)},
		Nodes: append(ot.Nodes(`each = MatMul(bag, W)
			l = ReduceMean<axes=[0], keepdims=0>(each)`), nodes...),
	}
	if card != "" {
		m.Metadata = map[string]string{"bagscope": card}
	}
	return m
}

// EndingModel sums the bag over its instances and applies operators to the sum, one after another.
func EndingModel(card string, classes int, ops ...ot.Node) ot.Model {
	m := SumModel(card, "k", classes)
	last := "scores"
	for i, n := range ops {
		n.In, n.Out = []string{last}, []string{last + "x"}
		if i == len(ops)-1 {
			m.Outputs[0].Name = n.Out[0]
		}
		last = n.Out[0]
		m.Nodes = append(m.Nodes, n)
	}
	return m
}

// Op returns a node without names.
func Op(name string, a ...ot.Attribute) ot.Node { return ot.Node{Op: name, Attributes: a} }

// Unary returns a node with one input.
func Unary(name, in, out string) ot.Node { return ot.N(name, []string{in}, []string{out}) }

// Binary returns a node with two inputs.
func Binary(name, a, b, out string) ot.Node { return ot.N(name, []string{a, b}, []string{out}) }

// ReshapeModel views instances through a shape that is computed from the bag ("shape", "product"
// with a one before it), written down with what is left ("rest"), or mixes them ("mix").
func ReshapeModel(how string) ot.Model {
	m := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.I("rest", []int64{-1, 4}, 2), ot.I("mix", []int64{2, -1}, 2), ot.I("zero",
				[]int64{0}, 1), ot.I("minus", []int64{-1}, 1),
			ot.F("W", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2, 2)},
		Outputs: []ot.Value{ot.In("scores", 2)},
		Nodes: ot.Nodes(`a = Sin(bag); s = Shape(a); k = Gather(s, zero)
			shape = Concat<axis=0>(k, minus)`),
	}
	if how == "product" {
		m.Initializers = append(m.Initializers, ot.I("one", []int64{1}, 1))
		m.Nodes[3] = ot.N("Mul", []string{"one", "k"}, []string{"times"})
		m.Nodes = append(m.Nodes, ot.Nodes(`product = Concat<axis=0>(times, minus)`)...)
	}
	if how == "mix" {
		m.Nodes = append(m.Nodes,
			ot.Nodes(`r = Reshape(a, mix); scores = ReduceMax<axes=[1], keepdims=0>(r)`)...)
		return m
	}
	m.Nodes = append(m.Nodes,
		ot.N("Reshape", []string{"a", how}, []string{"r"}),
		ot.N("MatMul", []string{"r", "W"}, []string{"h"}),
		ot.N("ReduceMean", []string{"h"}, []string{"scores"}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0)))
	return m
}

// ShapedBag returns k random instances of a shape, the same each time.
func ShapedBag(k int, shape ...int) *core.Bag {
	width := 1
	for _, d := range shape {
		width *= d
	}
	b := SmallBag(k, width)
	b.Shape = shape
	return b
}
