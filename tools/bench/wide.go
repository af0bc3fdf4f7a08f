package main

import (
	"math"
	"math/rand/v2"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// wideModel is gated attention (Ilse, Tomczak and Welling 2018) over instances of 1024 features, the length of what
// encoders make of patches of slides: a hidden layer of 256, a gate of 128, two classes, random weights.
func wideModel() []byte {
	const features, hidden, gate, classes = 1024, 256, 128, 2
	random := rand.New(rand.NewPCG(features, hidden))
	weights := func(name string, rows, columns int) ot.Tensor {
		w := make([]float32, rows*columns)
		for i := range w {
			w[i] = float32(random.NormFloat64() / math.Sqrt(float64(rows)))
		}
		return ot.F(name, w, rows, columns)
	}
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			weights("encoder", features, hidden), weights("tangent", hidden, gate), weights("sigmoid", hidden, gate),
			weights("attention", gate, 1), weights("head", hidden, classes), ot.I("instances", []int64{0}, 1),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", features)},
		Outputs: []ot.Value{ot.In("logits", classes)},
		Nodes: []ot.Node{
			ot.N("MatMul", []string{"bag", "encoder"}, []string{"x"}),
			ot.N("Relu", []string{"x"}, []string{"h"}),
			ot.N("MatMul", []string{"h", "tangent"}, []string{"t"}),
			ot.N("Tanh", []string{"t"}, []string{"v"}),
			ot.N("MatMul", []string{"h", "sigmoid"}, []string{"s"}),
			ot.N("Sigmoid", []string{"s"}, []string{"u"}),
			ot.N("Mul", []string{"v", "u"}, []string{"g"}),
			ot.N("MatMul", []string{"g", "attention"}, []string{"a"}),
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)),
			ot.N("Mul", []string{"w", "h"}, []string{"q"}),
			ot.N("ReduceSum", []string{"q", "instances"}, []string{"pooled"}, ot.Int("keepdims", 0)),
			ot.N("MatMul", []string{"pooled", "head"}, []string{"logits"}),
		},
	}.Bytes()
}
