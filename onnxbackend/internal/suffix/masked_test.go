package suffix_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// poolModel encodes instances of three features, pools them by the nodes given, from "h" (k, 4) and
// "a" (k, 2) to "p", and reads two classes from a row of width numbers.
func poolModel(opset int, width int, nodes ...ot.Node) ot.Model {
	weights := func(n int) []float32 {
		r := rand.New(rand.NewPCG(uint64(n), 8))
		w := make([]float32, n)
		for i := range w {
			w[i] = float32(r.NormFloat64())
		}
		return w
	}
	m := ot.Model{
		Opset: opset,
		Initializers: []ot.Tensor{
			ot.F("W", weights(12), 3, 4), ot.F("V", weights(8), 4, 2), ot.F("head",
				weights(2*width), width, 2), ot.F("bias", weights(2), 2),
			ot.F("1.", []float32{1}), ot.F("two", []float32{2}, 1),
			ot.I("flat", []int64{-1}, 1), ot.I("axis0", []int64{0},
				1), ot.I("axis1", []int64{1}, 1), ot.I("one", []int64{1}, 1),
			ot.I("three", []int64{3}, 1), ot.I("eight", []int64{8}, 1),
			ot.I("scalar0", []int64{0}), ot.I("two64", []int64{2}, 1), ot.I("heads",
				[]int64{-1, 2, 2}, 3),
			ot.F("C", weights(8), 2, 4, 1), ot.F("C3", weights(24), 2, 4, 3),
			ot.F("zeros", make([]float32, 8), 2, 4), ot.F("small", []float32{1e-6}, 1),
			ot.F("two22", []float32{1, 2, 3, 4}, 2, 2),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("logits", 2)},
	}
	m.Nodes = append(m.Nodes, ot.N("MatMul", []string{"bag", "W"}, []string{"g"}),
		ot.N("Tanh", []string{"g"}, []string{"h"}),
		ot.N("MatMul", []string{"h", "V"}, []string{"a"}))
	m.Nodes = append(m.Nodes, nodes...)
	m.Nodes = append(m.Nodes, ot.N("Reshape", []string{"p", "flat"}, []string{"row"}),
		ot.N("MatMul", []string{"row", "head"}, []string{"m"}),
		ot.N("Add", []string{"m", "bias"}, []string{"b"}),
		ot.N("Sigmoid", []string{"b"}, []string{"s"}),
		ot.N("Mul", []string{"s", "b"}, []string{"logits"}))
	return m
}

// reduce pools h over the instances.
func reduce(op string, keep int64) []ot.Node {
	return []ot.Node{ot.N(op, []string{"h"}, []string{"p"}, ot.Ints("axes", 0),
		ot.Int("keepdims", keep))}
}

// counted returns nodes that sum h over the instances, "u" (1, 4), and count them, "nf", and then
// other nodes.
func counted(nodes ...ot.Node) []ot.Node {
	return append([]ot.Node{
		enginetest.Binary("ReduceSum", "h", "axis0", "u"),
		enginetest.Unary("Shape", "h", "hs"),
		enginetest.Binary("Gather", "hs", "scalar0", "n"),
		ot.N("Cast", []string{"n"}, []string{"nf"}, ot.Int("to", ot.Float32)),
	}, nodes...)
}

// ones returns nodes that sum h over the instances, "u", and a one for each of them, "n" (1, 1).
func ones() []ot.Node {
	return []ot.Node{
		enginetest.Binary("ReduceSum", "h", "axis0", "u"),
		ot.N("ReduceSum", []string{"h", "axis1"}, []string{"h1"}, ot.Int("keepdims", 1)),
		enginetest.Unary("Shape", "h1", "sides"),
		ot.N("ConstantOfShape", []string{"sides"}, []string{"ones"},
			ot.Dense("value", ot.F("", []float32{1}, 1))),
		enginetest.Binary("ReduceSum", "ones", "axis0", "n"),
	}
}

// TestMaskedStrategies checks the strategy of each kind of pooling, and compares its scores with
// those of the whole graph.
func TestMaskedStrategies(t *testing.T) {
	transposed := []ot.Node{
		ot.N("Transpose", []string{"a"}, []string{"at"}, ot.Ints("perm", 1, 0)),
		ot.N("Softmax", []string{"at"}, []string{"w"}, ot.Int("axis", 1)),
	}
	weighted := []ot.Node{
		ot.N("ReduceSum", []string{"a", "axis1"}, []string{"a1"}, ot.Int("keepdims", 1)),
		ot.N("Softmax", []string{"a1"}, []string{"w"}, ot.Int("axis", 0)),
	}
	for _, c := range []struct {
		name, strategy string
		opset, width   int
		nodes          []ot.Node
	}{
		{"mean", "mean", 12, 4, reduce("ReduceMean", 0)},
		{"mean, dimension kept", "mean", 12, 4, reduce("ReduceMean", 1)},
		{"sum", "sum", 12, 4, reduce("ReduceSum", 0)},
		{"L1", "sum", 12, 4, reduce("ReduceL1", 0)},
		{"L2", "sum", 12, 4, reduce("ReduceL2", 1)},
		{"sum of squares", "sum", 12, 4, reduce("ReduceSumSquare", 0)},
		{"log-sum-exp", "logsumexp", 12, 4, reduce("ReduceLogSumExp", 0)},
		{"max", "max", 12, 4, reduce("ReduceMax", 0)},
		{"min", "min", 12, 4, reduce("ReduceMin", 1)},
		{"product of signed numbers", onnxbackend.StrategyGathered, 12, 4, reduce("ReduceProd", 0)},
		{"product of probabilities", "product", 12, 4,
			append([]ot.Node{ot.N("Sigmoid", []string{"h"}, []string{"s0"})},
				ot.N("ReduceProd", []string{"s0"}, []string{"p"}, ot.Ints("axes", 0)))},
		{"product with zeros", "product", 12, 4,
			append([]ot.Node{ot.N("Relu", []string{"h"}, []string{"s0"})},
				ot.N("ReduceProd", []string{"s0"}, []string{"p"}, ot.Ints("axes", 0)))},
		{"sum divided by the number of instances", "mean", 13, 4, []ot.Node{
			ot.N("ReduceSum", []string{"h", "axis0"}, []string{"u"}), ot.N("Shape", []string{"h"},
				[]string{"hs"}), ot.N("Gather", []string{"hs", "scalar0"}, []string{"n"}),
			ot.N("Cast", []string{"n"}, []string{"nf"}, ot.Int("to", 1)), ot.N("Div",
				[]string{"u", "nf"}, []string{"p"})}},
		{"sum times the reciprocal of the number of instances", "mean", 13, 4, counted(
			enginetest.Unary("Reciprocal", "nf", "r"), enginetest.Binary("Mul", "u", "r", "p"))},
		{"one divided by the number of instances, times the sum", "mean", 13, 4, counted(
			enginetest.Binary("Div", "1.", "nf", "r"), enginetest.Binary("Unsqueeze", "r", "axis0",
				"r1"), enginetest.Binary("Mul", "r1", "u", "p"))},
		{"two divided by the number of instances, times the sum", "sum", 13, 4, counted(
			enginetest.Binary("Div", "two", "nf", "r"), enginetest.Binary("Mul", "u", "r", "p"))},
		{"reciprocal that is read again", "mean", 13, 4, counted(
			enginetest.Unary("Reciprocal", "nf", "r"), enginetest.Binary("Mul", "u", "r", "mean"),
			enginetest.Binary("Add", "mean", "r", "p"))},
		{"sum divided by a sum of ones", "mean", 13, 4, append(ones(), enginetest.Binary("Div",
			"u", "n", "p"))},
		{"sum times the reciprocal of a sum of ones", "mean", 13, 4, append(ones(),
			enginetest.Unary("Reciprocal", "n", "r"), enginetest.Binary("Mul", "r", "u", "p"))},
		{"sum divided by a sum of numbers", "sum", 13, 4, []ot.Node{enginetest.Binary("ReduceSum",
			"h", "axis0", "u"), ot.N("ReduceSum", []string{"a", "axis1"}, []string{"a1"},
			ot.Int("keepdims", 1)), enginetest.Unary("Sigmoid", "a1", "some"),
			enginetest.Binary("ReduceSum", "some", "axis0", "n"),
			enginetest.Binary("Div", "u", "n", "p")}},
		{"sum divided by the number of instances, and read again", "sum", 13, 4, []ot.Node{
			ot.N("ReduceSum", []string{"h", "axis0"}, []string{"u"}), ot.N("Shape", []string{"h"},
				[]string{"hs"}), ot.N("Gather", []string{"hs", "scalar0"}, []string{"n"}),
			ot.N("Cast", []string{"n"}, []string{"nf"}, ot.Int("to", 1)), ot.N("Div",
				[]string{"u", "nf"}, []string{"average"}), ot.N("Add",
				[]string{"average", "u"}, []string{"p"})}},
		{"sum divided by the number of masks", "mean", 13, 4, []ot.Node{
			ot.N("ReduceSum", []string{"h", "axis0"}, []string{"u"}), ot.N("ReduceSum",
				[]string{"h", "axis1"}, []string{"mask"}, ot.Int("keepdims", 1)), ot.N("Size",
				[]string{"mask"}, []string{"n"}), ot.N("Cast", []string{"n"}, []string{"nf"},
				ot.Int("to", 1)), ot.N("Unsqueeze", []string{"nf", "axis0"}, []string{"nf1"}),
			ot.N("Unsqueeze", []string{"nf1", "axis0"}, []string{"nf2"}), ot.N("Div",
				[]string{"u", "nf2"}, []string{"p"})}},
		{"sum divided by the number of values", "sum", 13, 4, []ot.Node{
			ot.N("ReduceSum", []string{"h", "axis0"}, []string{"u"}), ot.N("Size",
				[]string{"h"}, []string{"n"}), ot.N("Cast", []string{"n"}, []string{"nf"},
				ot.Int("to", 1)), ot.N("Div", []string{"u", "nf"}, []string{"p"})}},
		{"number of instances, cast before it is picked", "sum", 15, 4, []ot.Node{
			ot.N("ReduceSum", []string{"h", "axis0"}, []string{"u"}), ot.N("Shape", []string{"h"},
				[]string{"hs"}, ot.Int("start", -2), ot.Int("end", 1)),
			ot.N("Cast", []string{"hs"}, []string{"i32"}, ot.Int("to", 6)), ot.N("Cast",
				[]string{"i32"}, []string{"nf"}, ot.Int("to", 1)),
			ot.N("Log", []string{"nf"}, []string{"l"}),
			ot.N("Sub", []string{"u", "l"}, []string{"p"})}},
		{"pool of all places", "max+mean", 13, 8, []ot.Node{
			ot.N("Transpose", []string{"h"}, []string{"ht"}), ot.N("Unsqueeze",
				[]string{"ht", "axis0"}, []string{"x"}),
			ot.N("GlobalAveragePool", []string{"x"}, []string{"u"}),
			ot.N("GlobalMaxPool", []string{"x"}, []string{"v"}), ot.N("Concat", []string{"u", "v"},
				[]string{"p"}, ot.Int("axis", 1))}},
		{"pool of an instance's places", "mean", 13, 1, []ot.Node{
			ot.N("Unsqueeze", []string{"h", "axis0"}, []string{"x"}), ot.N("GlobalAveragePool",
				[]string{"x"}, []string{"u"}),
			ot.N("ReduceMean", []string{"u"}, []string{"p"}, ot.Ints("axes", 1))}},
		{"layer by a convolution over the instances", "max", 13, 2, []ot.Node{
			ot.N("Transpose", []string{"h"}, []string{"ht"}), ot.N("Unsqueeze",
				[]string{"ht", "axis0"}, []string{"x"}),
			ot.N("Conv", []string{"x", "C"}, []string{"c"}),
			ot.N("Relu", []string{"c"}, []string{"r0"}), ot.N("GlobalMaxPool", []string{"r0"},
				[]string{"p"})}},
		{"convolution that sees its neighbours", onnxbackend.StrategyGathered, 13, 2, []ot.Node{
			ot.N("Transpose", []string{"h"}, []string{"ht"}), ot.N("Unsqueeze",
				[]string{"ht", "axis0"}, []string{"x"}),
			ot.N("Conv", []string{"x", "C3"}, []string{"c"}, ot.Ints("pads", 1, 1)),
			ot.N("GlobalMaxPool", []string{"c"}, []string{"p"})}},
		{"attention by einsum", "attention", 13, 8, []ot.Node{
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)), ot.N("Einsum",
				[]string{"w", "h"}, []string{"p"}, ot.Text("equation", "kh,kd->dh"))}},
		{"heads summed by einsum", onnxbackend.StrategyGathered, 13, 4, []ot.Node{
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)), ot.N("Einsum",
				[]string{"w", "h"}, []string{"p"}, ot.Text("equation", "kh,kd->d"))}},
		{"heads in front", "attention", 13, 4, []ot.Node{
			// (2, k, 2)
			ot.N("Reshape", []string{"h", "heads"}, []string{"h3"}), ot.N("Transpose",
				[]string{"h3"}, []string{"v"}, ot.Ints("perm", 1, 0, 2)),
			// (2, 1, k)
			ot.N("Transpose", []string{"a"}, []string{"at"}), ot.N("Unsqueeze",
				[]string{"at", "axis1"}, []string{"s3"}),
			ot.N("Softmax", []string{"s3"}, []string{"w"}, ot.Int("axis", -1)), ot.N("MatMul",
				[]string{"w", "v"}, []string{"p"})}},
		{"softmax in steps", "attention", 13, 8, []ot.Node{
			ot.N("Exp", []string{"a"}, []string{"e"}), ot.N("ReduceSum", []string{"e", "axis0"},
				[]string{"z"}), ot.N("Div", []string{"e", "z"}, []string{"w"}),
			ot.N("Transpose", []string{"w"}, []string{"wt"}), ot.N("MatMul", []string{"wt", "h"},
				[]string{"p"})}},
		{"divided by a sum that is read elsewhere too", "attention+sum", 13, 10, []ot.Node{
			ot.N("Exp", []string{"a"}, []string{"e"}), ot.N("ReduceSum", []string{"e", "axis0"},
				[]string{"z"}), ot.N("Div", []string{"e", "z"}, []string{"w"}),
			ot.N("Transpose", []string{"w"}, []string{"wt"}), ot.N("MatMul", []string{"wt", "h"},
				[]string{"q"}), ot.N("Reshape", []string{"q", "flat"}, []string{"q1"}),
			ot.N("Reshape", []string{"z", "flat"}, []string{"z1"}), ot.N("Concat",
				[]string{"q1", "z1"}, []string{"p"}, ot.Int("axis", 0))}},
		{"weights shaped by their own shape", "attention", 13, 8, []ot.Node{
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)), ot.N("Shape",
				[]string{"w"}, []string{"ws"}),
			ot.N("Gather", []string{"ws", "axis0"}, []string{"n"}),
			ot.N("Gather", []string{"ws", "one"}, []string{"c"}), ot.N("Concat",
				[]string{"n", "one", "c"}, []string{"to"}, ot.Int("axis", 0)),
			ot.N("Reshape", []string{"w", "to"}, []string{"w3"}), ot.N("Unsqueeze",
				[]string{"h", "two64"}, []string{"h3"}),
			ot.N("Mul", []string{"w3", "h3"}, []string{"q"}), ot.N("ReduceSum",
				[]string{"q", "axis0"}, []string{"p"})}},
		{"ones for every instance", "sum", 13, 4, []ot.Node{
			ot.N("Shape", []string{"h"}, []string{"hs"}), ot.N("Gather", []string{"hs", "axis0"},
				[]string{"n"}), ot.N("Concat", []string{"one", "n"}, []string{"to"}, ot.Int("axis",
				0)),
			ot.N("Expand", []string{"two", "to"}, []string{"twos"}), ot.N("MatMul",
				[]string{"twos", "h"}, []string{"p"})}},
		{"attention, weights times values", "attention", 13, 8,
			append(slices.Clone(transposed), ot.N("MatMul", []string{"w", "h"}, []string{"p"}))},
		{"attention, values times weights", "attention", 13, 8, []ot.Node{
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)),
			ot.N("Transpose", []string{"h"}, []string{"ht"}),
			ot.N("MatMul", []string{"ht", "w"}, []string{"p"})}},
		{"attention by Gemm", "attention", 13, 8, append(slices.Clone(transposed),
			ot.N("Gemm", []string{"w", "h", "zeros"}, []string{"p"}, ot.Float("alpha", .5)))},
		{"attention by Gemm, transposed", "attention", 13, 8, []ot.Node{
			ot.N("Softmax", []string{"a"}, []string{"w"}, ot.Int("axis", 0)),
			ot.N("Gemm", []string{"w", "h", "zeros"}, []string{"p"}, ot.Int("transA", 1),
				ot.Float("beta", 3))}},
		{"attention by product and sum", "attention", 13, 4, append(slices.Clone(weighted),
			ot.N("Mul", []string{"w", "h"}, []string{"q"}), ot.N("ReduceSum",
				[]string{"q", "axis0"}, []string{"p"}, ot.Int("keepdims", 0)))},
		{"attention by product and mean, divided", "attention", 13, 4,
			append(slices.Clone(weighted),
				ot.N("Mul", []string{"h", "w"}, []string{"q"}), ot.N("Div", []string{"q", "two"},
					[]string{"r"}),
				ot.N("ReduceMean", []string{"r"}, []string{"p"}, ot.Ints("axes", 0)))},
		{"attention of a vector", "attention", 13, 4, append(slices.Clone(weighted),
			ot.N("Squeeze", []string{"w", "axis1"}, []string{"v"}), ot.N("MatMul",
				[]string{"v", "h"}, []string{"p"}))},
		{"one of two attentions", "attention", 13, 4, append(slices.Clone(transposed),
			ot.N("Slice", []string{"w", "axis0", "one", "axis0"}, []string{"u"}), ot.N("MatMul",
				[]string{"u", "h"}, []string{"p"}))},
		{"attention before version 13", "attention", 12, 8,
			append(slices.Clone(transposed), ot.N("MatMul", []string{"w", "h"}, []string{"p"}))},
		{"softmax in steps, shifted by the largest", "attention", 13, 8, []ot.Node{
			ot.N("ReduceMax", []string{"a"}, []string{"top"}, ot.Ints("axes", 0)), ot.N("Sub",
				[]string{"a", "top"}, []string{"d"}), ot.N("Exp", []string{"d"}, []string{"e"}),
			ot.N("ReduceSum", []string{"e", "axis0"}, []string{"z"}), ot.N("Div",
				[]string{"e", "z"}, []string{"w"}),
			ot.N("Transpose", []string{"w"}, []string{"wt"}), ot.N("MatMul", []string{"wt", "h"},
				[]string{"p"})}},
		{"softmax in steps, with an epsilon, by einsum", "attention", 13, 8, []ot.Node{
			ot.N("Slice", []string{"a", "axis0", "one", "axis1"}, []string{"a0"}), ot.N("ReduceMax",
				[]string{"a0"}, []string{"top"}, ot.Int("keepdims", 0)),
			ot.N("Sub", []string{"a", "top"}, []string{"d"}), ot.N("Exp", []string{"d"},
				[]string{"e"}),
			ot.N("ReduceSum", []string{"e", "axis0"}, []string{"z"}, ot.Int("keepdims", 0)),
			ot.N("Add", []string{"z", "small"}, []string{"y"}), ot.N("Div", []string{"e", "y"},
				[]string{"w"}),
			ot.N("Einsum", []string{"h", "w"}, []string{"p"}, ot.Text("equation", "kd,kh->dh"))}},
		{"exponential less what is no maximum", "attention", 13, 4, []ot.Node{
			ot.N("ReduceMean", []string{"h"}, []string{"u"}, ot.Ints("axes", 0)), ot.N("Sub",
				[]string{"h", "u"}, []string{"d"}), ot.N("Exp", []string{"d"}, []string{"e"}),
			ot.N("ReduceMean", []string{"e"}, []string{"p"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0))}},
		{"sum divided by a sum and an epsilon", "sum", 13, 4, []ot.Node{
			ot.N("Sigmoid", []string{"h"}, []string{"g0"}), ot.N("Mul", []string{"g0", "h"},
				[]string{"gh"}), ot.N("ReduceSum", []string{"gh", "axis0"}, []string{"s0"}),
			ot.N("ReduceSum", []string{"g0", "axis0"}, []string{"s1"}), ot.N("Add",
				[]string{"s1", "small"}, []string{"s2"}),
			ot.N("Div", []string{"s0", "s2"}, []string{"p"})}},
		{"weights divided by their norm, repeated for each", "attention", 13, 4,
			append(slices.Clone(weighted[:1]),
				ot.N("Relu", []string{"a1"}, []string{"r0"}), ot.N("ReduceL1", []string{"r0"},
					[]string{"n0"}, ot.Ints("axes", 0)),
				ot.N("Max", []string{"n0", "small"}, []string{"n1"}),
				ot.N("Shape", []string{"r0"}, []string{"rs"}), ot.N("Expand", []string{"n1", "rs"},
					[]string{"n2"}), ot.N("Div", []string{"r0", "n2"}, []string{"w"}),
				ot.N("Mul", []string{"w", "h"}, []string{"q"}), ot.N("ReduceSum",
					[]string{"q", "axis0"}, []string{"p"}))},
		{"softmax, weighted and divided again", "attention", 13, 4, append(slices.Clone(weighted),
			ot.N("Sigmoid", []string{"a1"}, []string{"g0"}), ot.N("Mul", []string{"w", "g0"},
				[]string{"v"}), ot.N("ReduceSum", []string{"v", "axis0"}, []string{"s0"}),
			ot.N("Add", []string{"s0", "small"}, []string{"s1"}), ot.N("Div", []string{"v", "s1"},
				[]string{"u"}), ot.N("Transpose", []string{"u"}, []string{"ut"}),
			ot.N("MatMul", []string{"ut", "h"}, []string{"p"}))},
		{"instances scaled by a mean, twice", "attention", 13, 4, []ot.Node{
			ot.N("ReduceMean", []string{"h"}, []string{"u"}, ot.Ints("axes", 0)), ot.N("Mul",
				[]string{"u", "h"}, []string{"q"}),
			ot.N("Slice", []string{"a", "axis0", "one", "axis1"}, []string{"a0"}), ot.N("ReduceMax",
				[]string{"a0"}, []string{"v"}, ot.Int("keepdims", 0)),
			ot.N("Div", []string{"q", "v"}, []string{"r0"}), ot.N("ReduceSum",
				[]string{"r0", "axis0"}, []string{"p"}, ot.Int("keepdims", 0))}},
		{"heads scaled in another order than they are summed", onnxbackend.StrategyMembers, 13, 8,
			[]ot.Node{
				ot.N("Reshape", []string{"h", "heads"}, []string{"h3"}), ot.N("ReduceMean",
					[]string{"h3"}, []string{"u"}, ot.Ints("axes", 0)),
				ot.N("Mul", []string{"h3", "u"}, []string{"q"}),
				ot.N("Transpose", []string{"q"}, []string{"qt"}, ot.Ints("perm", 0, 2, 1)),
				ot.N("MatMul", []string{"two22", "qt"}, []string{"r0"}), ot.N("ReduceSum",
					[]string{"r0", "axis0"}, []string{"v"}),
				ot.N("Concat", []string{"v", "v"}, []string{"p"}, ot.Int("axis", 0))}},
		{"maximum of scaled instances", onnxbackend.StrategyMembers, 13, 4, []ot.Node{
			ot.N("ReduceMean", []string{"h"}, []string{"u"}, ot.Ints("axes", 0)), ot.N("Mul",
				[]string{"h", "u"}, []string{"q"}),
			ot.N("ReduceMax", []string{"q"}, []string{"p"}, ot.Ints("axes", 0))}},
		{"sum by einsum", "sum", 13, 4, []ot.Node{ot.N("Einsum", []string{"h"}, []string{"p"},
			ot.Text("equation", "kd->d"))}},
		{"sum and turn by einsum", onnxbackend.StrategyGathered, 13, 4, []ot.Node{
			ot.N("Reshape", []string{"h", "heads"}, []string{"h3"}), ot.N("Einsum", []string{"h3"},
				[]string{"p"}, ot.Text("equation", "kab->ba"))}},
		{"sum by a product with ones", "sum", 13, 4, []ot.Node{
			ot.N("Shape", []string{"h"}, []string{"hs"}), ot.N("Gather", []string{"hs", "axis0"},
				[]string{"n"}), ot.N("ConstantOfShape", []string{"n"}, []string{"ones"},
				ot.Dense("value", ot.F("", []float32{1}, 1))),
			ot.N("MatMul", []string{"ones", "h"}, []string{"p"})}},
		{"gated sum", "sum", 13, 8, []ot.Node{
			ot.N("Sigmoid", []string{"a"}, []string{"w"}), ot.N("Transpose", []string{"w"},
				[]string{"wt"}), ot.N("MatMul", []string{"wt", "h"}, []string{"p"})}},
		{"top three", "topk", 13, 12, []ot.Node{ot.N("TopK", []string{"h", "three"},
			[]string{"p", ""}, ot.Int("axis", 0))}},
		{"eight largest of all", "topk", 13, 32,
			[]ot.Node{ot.N("TopK", []string{"h", "eight"}, []string{"p", ""}, ot.Int("axis", 0))}},
		{"least one", "topk", 13, 4, []ot.Node{ot.N("TopK", []string{"h", "one"}, []string{"p", ""},
			ot.Int("axis", 0), ot.Int("largest", 0))}},
		{"mean and max", "max+mean", 12, 8, []ot.Node{
			ot.N("ReduceMean", []string{"h"}, []string{"u"}, ot.Ints("axes", 0)), ot.N("ReduceMax",
				[]string{"h"}, []string{"v"}, ot.Ints("axes", 0)),
			ot.N("Concat", []string{"u", "v"}, []string{"p"}, ot.Int("axis", 1))}},
		{"softmax over features", "mean", 13, 4, []ot.Node{
			ot.N("Softmax", []string{"h"}, []string{"w"}, ot.Int("axis", 1)), ot.N("ReduceMean",
				[]string{"w"}, []string{"p"}, ot.Ints("axes", 0))}},
		{"second layer after attention", onnxbackend.StrategyMembers, 13, 4,
			append(slices.Clone(weighted),
				ot.N("Mul", []string{"w", "h"}, []string{"q"}), ot.N("Tanh", []string{"q"},
					[]string{"r"}), ot.N("ReduceMean", []string{"r"}, []string{"p"}, ot.Ints("axes",
					0)))},
		{"distance from the mean", onnxbackend.StrategyMembers, 12, 4, []ot.Node{
			ot.N("ReduceMean", []string{"h"}, []string{"u"}, ot.Ints("axes", 0)), ot.N("Sub",
				[]string{"h", "u"}, []string{"d"}),
			ot.N("ReduceMax", []string{"d"}, []string{"p"}, ot.Ints("axes", 0))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range []int{1, 3, 4, 70} {
				if c.width > 8 && k < c.width/4 {
					continue // more are taken than there are
				}
				bag, model := enginetest.SmallBag(k, 3), poolModel(c.opset, c.width,
					c.nodes...).Bytes()
				b := enginetest.OpenAndBind(t, model, onnxbackend.Options{}, bag)
				if b.Strategy() != c.strategy && k > 3 {
					t.Errorf("k=%d: strategy %s, want %s (%s; %q)", k, b.Strategy(), c.strategy,
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, model, bag)
				sameWithDevice(t, b, model, bag)
				if k == 70 && c.width < 12 {
					instancesEqualMasks(t, b)
					neighboursEqualPlain(t, b)
				}
			}
			double, ok := doubled(poolModel(c.opset, c.width, c.nodes...))
			if bag := enginetest.SmallBag(40, 3); ok {
				b := enginetest.OpenAndBind(t, double.Bytes(), onnxbackend.Options{}, bag)
				if b.Strategy() != c.strategy {
					t.Errorf("in float64: strategy %s, want %s (%s; %q)", b.Strategy(), c.strategy,
						enginetest.EvaluatorOf(b).WhyNot, b.Notes())
				}
				enginetest.CheckStrategyEqualsPlain(t, b, double.Bytes(), bag)
			}
		})
	}
}

// doubled returns a model with float64 in place of float32, and whether no node names the type
// itself.
func doubled(m ot.Model) (ot.Model, bool) {
	for i, w := range m.Initializers {
		if w.Type == ot.Float32 {
			d := ot.Tensor{Name: w.Name, Type: ot.Float64, Dims: w.Dims}
			for _, v := range w.Floats {
				d.Doubles = append(d.Doubles, float64(v))
			}
			m.Initializers[i] = d
		}
	}
	m.Inputs[0].Type, m.Outputs[0].Type = ot.Float64, ot.Float64
	return m, !slices.ContainsFunc(m.Nodes, func(n ot.Node) bool {
		return n.Op == "Cast" || n.Op == "ConstantOfShape"
	})
}

// TestMaskedUnderflow scores coalitions whose weights vanish beside the largest of the bag: each
// must be computed alone.
func TestMaskedUnderflow(t *testing.T) {
	nodes := map[string][]ot.Node{
		"attention": {
			ot.N("Mul", []string{"bag", "W1"}, []string{"x"}), ot.N("Transpose", []string{"x"},
				[]string{"xt"}),
			ot.N("Softmax", []string{"xt"}, []string{"w"}, ot.Int("axis", 1)), ot.N("MatMul",
				[]string{"w", "bag"}, []string{"logits"})},
		"attention in steps": {
			ot.N("Mul", []string{"bag", "W1"}, []string{"x"}), ot.N("ReduceMax", []string{"x"},
				[]string{"top"}, ot.Ints("axes", 0)),
			ot.N("Sub", []string{"x", "top"}, []string{"d"}),
			ot.N("Exp", []string{"d"}, []string{"e"}), ot.N("ReduceSum", []string{"e", "axis0"},
				[]string{"z"}), ot.N("Div", []string{"e", "z"}, []string{"w"}),
			ot.N("Mul", []string{"w", "bag"}, []string{"wb"}), ot.N("ReduceSum",
				[]string{"wb", "axis0"}, []string{"logits"})},
		"logsumexp": {ot.N("Mul", []string{"bag", "W1"}, []string{"x"}),
			ot.N("ReduceLogSumExp", []string{"x"}, []string{"logits"}, ot.Ints("axes", 0))},
	}
	for name, n := range nodes {
		strategy, _, _ := strings.Cut(name, " ")
		m := ot.Model{
			Opset: 13, Initializers: []ot.Tensor{ot.F("W1", []float32{1, 1}, 1, 2),
				ot.I("axis0", []int64{0}, 1)}, Nodes: n,
			Inputs: []ot.Value{ot.In("bag", "k", 2)}, Outputs: []ot.Value{ot.In("logits", 1, 2)},
		}
		if name == "attention" {
			m.Outputs = []ot.Value{ot.In("logits", 2, 2)}
			m.Nodes[3].Out = []string{"both"}
			m.Nodes = append(m.Nodes, ot.N("ReduceMean", []string{"both"}, []string{"logits"},
				ot.Ints("axes", 0)))
			m.Outputs = []ot.Value{ot.In("logits", 1, 2)}
		}
		bag := &core.Bag{Shape: []int{2}, Values: []float32{500, 300, 1, 2, 3, 1, -400, -80}}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, bag)
		if b.Strategy() != strategy {
			t.Errorf("strategy %s, want %s: %s %q", b.Strategy(), strategy,
				enginetest.EvaluatorOf(b).WhyNot,
				b.Notes())
		}
		enginetest.CheckStrategyEqualsPlain(t, b, m.Bytes(), bag)
		z := core.NewCoalitions(4, 1)
		z.AppendMembers(1, 2)
		doubt, err := masked.NewRunner(enginetest.EvaluatorOf(b).Pooled.Plan(),
			enginetest.EvaluatorOf(b).Limits).Run(context.Background(), make([]float64, 2),
			masked.Set{Z: z})
		if err != nil || !doubt[0] {
			t.Errorf("%s: a coalition without its heavy instance is not in doubt (%v)", name, err)
		}
	}
}

// TestMoreScoresThanDeclared binds a model that declares one score and makes two: the error says so
// before anything is explained.
func TestMoreScoresThanDeclared(t *testing.T) {
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("scores", 1)},
		Nodes: []ot.Node{ot.N("ReduceMean", []string{"bag"}, []string{"scores"},
			ot.Ints("axes", 0), ot.Int("keepdims", 0))},
	}
	o := enginetest.Open(t, m.Bytes(), onnxbackend.Options{})
	_, err := o.Bind(context.Background(), enginetest.SmallBag(3, 2))
	var gap *onnxbackend.UnsupportedError
	if !errors.As(err, &gap) || !strings.Contains(err.Error(),
		"declares 1 scores, and for a bag of 3 instances") {
		t.Errorf("error %v, want one about the scores", err)
	}
	if _, err := o.Predict(context.Background(), enginetest.SmallBag(3, 2)); !errors.As(err, &gap) {
		t.Errorf("a prediction of more scores than declared: %v", err)
	}
}

// TestWideRows checks that the rows of a batch count as memory of a run: if it holds too few,
// coalitions run one by one.
func TestWideRows(t *testing.T) {
	const width = 1 << 14
	m := enginetest.AttentionModel()
	m.Initializers[3] = ot.F("o", make([]float32, 3*width), 3, width)
	m.Outputs[0].Dims = []any{width}
	m.Metadata = nil
	for _, c := range []struct {
		bytes, batch int
		strategy     string
	}{
		{1 << 30, 1024, "attention"},
		{1 << 25, 255, "attention"}, // rows of 64 kB and the few values before them
		{1 << 20, 1, onnxbackend.StrategyGathered},
	} {
		b := enginetest.OpenAndBind(t, m.Bytes(),
			onnxbackend.Options{Limits: onnxbackend.Limits{RunBytes: c.bytes}},
			enginetest.SmallBag(5, 2))
		if b.Strategy() != c.strategy || b.Batch() != c.batch {
			t.Errorf("in %d bytes %s, %d at a time; want %s, %d", c.bytes, b.Strategy(), b.Batch(),
				c.strategy, c.batch)
		}
		z := core.NewCoalitions(5, b.Batch()+1)
		for i := range b.Batch() {
			z.AppendMembers(i % 5)
		}
		if err := b.Evaluate(context.Background(), make([]float64, z.Len()*width), z); err != nil {
			t.Errorf("in %d bytes: %v", c.bytes, err)
		}
	}
}

// TestRunBytes passes more coalitions to one run than its memory holds: the error names the limit.
func TestRunBytes(t *testing.T) {
	const width, limit = 1 << 14, 1 << 25
	m := enginetest.AttentionModel()
	m.Initializers[3] = ot.F("o", make([]float32, 3*width), 3, width)
	m.Outputs[0].Dims = []any{width}
	m.Metadata = nil
	b := enginetest.OpenAndBind(t, m.Bytes(),
		onnxbackend.Options{Limits: onnxbackend.Limits{RunBytes: limit}}, enginetest.SmallBag(5, 2))
	z := enginetest.RandomCoalitions(5, 2*b.Batch())
	err := b.Evaluate(t.Context(), make([]float64, z.Len()*width), z)
	var e *fault.Limit
	if !errors.As(err, &e) || e.Setting != "runBytes" || e.Limit != limit || e.Wanted <= limit {
		t.Errorf("%d coalitions: error %v", z.Len(), err)
	}
}

// BenchmarkMeans evaluates 1000 coalitions under means that a graph computes in several ways.
func BenchmarkMeans(b *testing.B) {
	for name, nodes := range map[string][]ot.Node{
		"reduced": reduce("ReduceMean", 1),
		"divided": counted(enginetest.Binary("Div", "u", "nf", "p")),
		"times reciprocal": counted(enginetest.Unary("Reciprocal", "nf", "r"),
			enginetest.Binary("Mul", "u", "r", "p")),
		"times one divided": counted(enginetest.Binary("Div", "1.", "nf", "r"),
			enginetest.Binary("Mul", "u", "r", "p")),
		"divided by ones": append(ones(), enginetest.Binary("Div", "u", "n", "p")),
	} {
		b.Run(name, func(b *testing.B) {
			ev := enginetest.OpenAndBind(b, poolModel(13, 4, nodes...).Bytes(),
				onnxbackend.Options{}, enginetest.SmallBag(264, 3))
			z := enginetest.RandomCoalitions(264, 1000)
			dst := make([]float64, 1000*ev.Task().Classes)
			for b.Loop() {
				must.Do(b, ev.Evaluate(context.Background(), dst, z))
			}
		})
	}
}
