package main

import (
	"math"
	"math/rand/v2"
	"slices"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// gatedAttention returns an ONNX model with gated attention for embedded patches (Ilse et al.,
// 2018), with the sizes of CLAM's small model: a layer to half as many features, attention, two
// classes. The head has one layer, or two with the given number of hidden units if it is not 0.
// Weights are random with a fixed seed.
func gatedAttention(features, hidden int) []byte {
	const gate, classes = 128, 2
	width := features / 2
	r := rand.New(rand.NewPCG(uint64(features), 2))
	weights := func(name string, in, out int) []ot.Tensor {
		w, b := make([]float32, in*out), make([]float32, out)
		for i := range w {
			w[i] = float32(r.NormFloat64() / math.Sqrt(float64(in)))
		}
		for i := range b {
			b[i] = float32(r.NormFloat64() / 10)
		}
		return []ot.Tensor{ot.F(name, w, in, out), ot.F(name+".bias", b, out)}
	}
	m := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("bag", "instances", features)},
		Outputs: []ot.Value{ot.In("logits", 1, classes), ot.In("attention", "instances", 1)}}
	m.Initializers = slices.Concat(weights("f", features, width), weights("v", width, gate),
		weights("u", width, gate), weights("w", gate, 1))
	// Gemm with the weights NAME and the biases NAME.bias.
	layer := func(in, name string) ot.Node {
		return ot.N("Gemm", []string{in, name, name + ".bias"}, []string{name + ".out"})
	}
	m.Nodes = []ot.Node{
		layer("bag", "f"), ot.N("Relu", []string{"f.out"}, []string{"h"}),
		layer("h", "v"), ot.N("Tanh", []string{"v.out"}, []string{"value"}),
		layer("h", "u"), ot.N("Sigmoid", []string{"u.out"}, []string{"gate"}),
		ot.N("Mul", []string{"value", "gate"}, []string{"gated"}), layer("gated", "w"),
		ot.N("Softmax", []string{"w.out"}, []string{"attention"}, ot.Int("axis", 0)),
		ot.N("Transpose", []string{"attention"}, []string{"row"}),
		ot.N("MatMul", []string{"row", "h"}, []string{"pooled"}),
	}
	// The pooled features are the boundary value. The head decides how much a coalition costs.
	last := "pooled"
	if hidden > 0 {
		m.Initializers = append(m.Initializers, weights("t", width, hidden)...)
		m.Nodes = append(m.Nodes, layer(last, "t"),
			ot.N("Relu", []string{"t.out"}, []string{"units"}))
		last, width = "units", hidden
	}
	m.Initializers = append(m.Initializers, weights("o", width, classes)...)
	m.Nodes = append(m.Nodes, ot.N("Gemm", []string{last, "o", "o.bias"}, []string{"logits"}))
	return m.Bytes()
}
