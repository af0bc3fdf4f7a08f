package enginetest

import (
	"math/rand/v2"
	"slices"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Normalizer returns a BatchNormalization with the parameters of PassModel.
func Normalizer(in, out string) ot.Node {
	return ot.N("BatchNormalization", []string{in, "scale", "shift", "mean", "variance"},
		[]string{out})
}

// PassModel returns a model that runs nodes from "bag" (k, 4) to "y". The logits are the mean of y
// over the instances. If a node makes "out", that is an output too.
func PassModel(nodes []ot.Node) ot.Model {
	r := rand.New(rand.NewPCG(4, 2))
	random := func(name string, dims ...int) ot.Tensor {
		return RandomTensor(r, name, dims...)
	}
	m := ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			random("W", 4, 4), random("Wt", 4, 4), random("W8", 8, 4), random("b", 4), random("row",
				1, 4), random("block", 1, 1, 4), random("column", 4, 1), random("one", 1),
			random("scale", 4), random("shift", 4), random("mean", 4), ot.F("variance",
				[]float32{.5, 1, 2, .1}, 4),
			random("K", 2, 1, 3, 3), random("two", 2), random("G", 2, 1, 1, 1), ot.F("zeros",
				make([]float32, 4), 4), ot.I("pairs", []int64{-1, 2, 2, 1}, 4),
			ot.F("scale2", []float32{2, .5}, 2), random("shift2", 2),
			ot.I("axis0", []int64{0}, 1), ot.I("axis2", []int64{2}, 1), ot.I("square",
				[]int64{1, -1, 4}, 3), ot.I("flat", []int64{-1, 4}, 2),
			ot.I("same", []int64{0, -1}, 2),
			ot.I("picture", []int64{-1, 1, 2, 2}, 4), ot.I("flat8", []int64{-1, 8}, 2), ot.I("i0",
				[]int64{0}), ot.I("i1", []int64{1}),
		},
		Nodes: append(slices.Clone(nodes), ot.N("ReduceMean", []string{"y"}, []string{"logits"},
			ot.Ints("axes", 0), ot.Int("keepdims", 0))),
		Inputs:  []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{ot.In("logits", 4)},
	}
	for _, n := range nodes {
		if n.Out[0] == "out" {
			m.Outputs = append(m.Outputs, ot.In("out", "k", 4))
		}
	}
	return m
}

// RandomTensor returns a tensor of standard normal values.
func RandomTensor(r *rand.Rand, name string, dims ...int) ot.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return ot.F(name, Normal(r, n), dims...)
}

// Normal returns n standard normal numbers.
func Normal(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}
