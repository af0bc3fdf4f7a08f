package onnxbackend

import (
	"math"
	"slices"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var (
	omitted = ot.Tensor{}
	grid    = ot.F("", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	inf     = math.Inf(1)
	nan     = math.NaN()
)

// operatorCases have answers from the specification's text, worked out by hand.
var operatorCases = slices.Concat(commonCases, breadthCases)

type operatorCase struct {
	name  string
	opset int
	node  ot.Node
	in    []ot.Tensor
	shape []int
	want  []float64
}

var commonCases = []operatorCase{
	// versions
	{"softmax 12 takes dimensions together", 12, op("Softmax"), []ot.Tensor{ot.F("", make([]float32, 4), 1, 2, 2)}, []int{1, 2, 2}, []float64{.25, .25, .25, .25}},
	{"softmax 13 takes the last", 13, op("Softmax"), []ot.Tensor{ot.F("", make([]float32, 4), 1, 2, 2)}, []int{1, 2, 2}, []float64{.5, .5, .5, .5}},
	{"log softmax of large numbers", 13, op("LogSoftmax"), []ot.Tensor{ot.F("", []float32{1000, 1000}, 2)}, []int{2}, []float64{-math.Ln2, -math.Ln2}},
	{"sum 12 by attribute", 12, op("ReduceSum", ot.Ints("axes", 0)), []ot.Tensor{grid}, []int{1, 3}, []float64{5, 7, 9}},
	{"sum 13 by input", 13, op("ReduceSum", ot.Int("keepdims", 0)), []ot.Tensor{grid, constant(ot.I("", []int64{-1}, 1))}, []int{2}, []float64{6, 15}},
	{"sum 13 of everything", 13, op("ReduceSum", ot.Int("keepdims", 0)), []ot.Tensor{grid}, []int{}, []float64{21}},
	{"sum 13 of nothing", 13, op("ReduceSum", ot.Int("noop_with_empty_axes", 1)), []ot.Tensor{grid}, []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
	{"mean 17 by attribute", 17, op("ReduceMean", ot.Ints("axes", 1), ot.Int("keepdims", 0)), []ot.Tensor{grid}, []int{2}, []float64{2, 5}},
	{"mean 18 by input", 18, op("ReduceMean", ot.Int("keepdims", 0)), []ot.Tensor{grid, ot.I("", []int64{0}, 1)}, []int{3}, []float64{2.5, 3.5, 4.5}},
	{"squeeze 12", 12, op("Squeeze", ot.Ints("axes", 0)), []ot.Tensor{ot.F("", []float32{7}, 1, 1)}, []int{1}, []float64{7}},
	{"squeeze 13", 13, op("Squeeze"), []ot.Tensor{ot.F("", []float32{7}, 1, 1), ot.I("", []int64{1}, 1)}, []int{1}, []float64{7}},
	{"squeeze all", 13, op("Squeeze"), []ot.Tensor{ot.F("", []float32{7, 8}, 1, 2, 1)}, []int{2}, []float64{7, 8}},
	{"unsqueeze 12", 12, op("Unsqueeze", ot.Ints("axes", 0, 2)), []ot.Tensor{ot.F("", []float32{7, 8}, 2)}, []int{1, 2, 1}, []float64{7, 8}},
	{"unsqueeze 13", 13, op("Unsqueeze"), []ot.Tensor{ot.F("", []float32{7, 8}, 2), ot.I("", []int64{-1}, 1)}, []int{2, 1}, []float64{7, 8}},
	{"clip 10", 10, op("Clip", ot.Float("min", 0), ot.Float("max", 2)), []ot.Tensor{ot.F("", []float32{-1, 1, 3}, 3)}, []int{3}, []float64{0, 1, 2}},
	{"clip 11 from above", 11, op("Clip"), []ot.Tensor{ot.F("", []float32{-1, 1, 3}, 3), omitted, ot.F("", []float32{2})}, []int{3}, []float64{-1, 1, 2}},
	{"slice 9", 9, op("Slice", ot.Ints("starts", 0, 1), ot.Ints("ends", 1, 1000)), []ot.Tensor{grid}, []int{1, 2}, []float64{2, 3}},
	{"slice 10 backwards", 10, op("Slice"), []ot.Tensor{grid, ot.I("", []int64{-1}, 1), ot.I("", []int64{math.MinInt64}, 1), ot.I("", []int64{1}, 1), ot.I("", []int64{-2}, 1)}, []int{2, 2}, []float64{3, 1, 6, 4}},
	{"slice backwards from before the first", 13, op("Slice"), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{-5}, 1), ot.I("", []int64{-9}, 1), ot.I("", []int64{0}, 1), ot.I("", []int64{-1}, 1)}, []int{1}, []float64{1}},
	{"slice an empty dimension backwards", 13, op("Slice"), []ot.Tensor{ot.F("", nil, 0), ot.I("", []int64{-1}, 1), ot.I("", []int64{-9}, 1), ot.I("", []int64{0}, 1), ot.I("", []int64{-1}, 1)}, []int{0}, []float64{}},
	{"slice of nothing", 13, op("Slice"), []ot.Tensor{grid, ot.I("", []int64{2}, 1), ot.I("", []int64{1}, 1)}, []int{0, 3}, []float64{}},
	{"top k 9", 9, op("TopK", ot.Int("k", 2)), []ot.Tensor{grid}, []int{2, 2}, []float64{3, 2, 6, 5}},
	{"top k 11, smallest along 0", 11, op("TopK", ot.Int("axis", 0), ot.Int("largest", 0)), []ot.Tensor{grid, ot.I("", []int64{1}, 1)}, []int{1, 3}, []float64{1, 2, 3}},
	{"pad 10", 10, op("Pad", ot.Ints("pads", 1, 0, 0, 1), ot.Float("value", 9)), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 2)}, []int{2, 3}, []float64{9, 9, 9, 1, 2, 9}},
	{"pad 11 reflects", 11, op("Pad", ot.Text("mode", "reflect")), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{2, 1}, 2)}, []int{6}, []float64{3, 2, 1, 2, 3, 2}},
	{"pad cuts with negative pads", 13, op("Pad"), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{-1, 1}, 2)}, []int{3}, []float64{2, 3, 0}},
	{"gemm 7", 7, op("Gemm", ot.Float("alpha", 2), ot.Float("beta", .5)), []ot.Tensor{grid, ot.F("", []float32{1, 0, 1}, 3, 1), ot.F("", []float32{10}, 1)}, []int{2, 1}, []float64{13, 25}},
	{"gemm 11 without a third", 11, op("Gemm", ot.Int("transA", 1)), []ot.Tensor{grid, ot.F("", []float32{1, 1}, 2, 1)}, []int{3, 1}, []float64{5, 7, 9}},
	{"gemm with constant transposed weights", 13, op("Gemm", ot.Int("transB", 1)), []ot.Tensor{grid, constant(ot.F("", []float32{1, 0, 1, 0, 1, 0}, 2, 3)), constant(ot.F("", []float32{1, 2}, 2))}, []int{2, 2}, []float64{5, 4, 11, 7}},
	{"batch normalisation", 9, op("BatchNormalization", ot.Float("epsilon", 0)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{0, 1}, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{4, 1}, 2)}, []int{2, 2}, []float64{0, 1, 1, 5}},
	{"split 2 in equal parts", 11, op("Split", ot.Int("axis", 1), ot.Ints("split", 3)), []ot.Tensor{grid}, []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
	// matrices
	{"product", 13, op("MatMul"), []ot.Tensor{grid, ot.F("", []float32{1, 0, 0, 1, 1, 1}, 3, 2)}, []int{2, 2}, []float64{4, 5, 10, 11}},
	{"vector by matrix", 13, op("MatMul"), []ot.Tensor{ot.F("", []float32{1, 2}, 2), grid}, []int{3}, []float64{9, 12, 15}},
	{"matrix by vector", 13, op("MatMul"), []ot.Tensor{grid, ot.F("", []float32{1, 0, 2}, 3)}, []int{2}, []float64{7, 16}},
	{"vector by vector", 13, op("MatMul"), []ot.Tensor{ot.F("", []float32{1, 2}, 2), ot.F("", []float32{3, 4}, 2)}, []int{}, []float64{11}},
	{"broadcast batch", 13, op("MatMul"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{1, 1, 2, 0}, 2, 1, 2, 1)}, []int{2, 2, 1, 1}, []float64{3, 7, 2, 6}},
	{"integers", 13, op("MatMul"), []ot.Tensor{ot.I("", []int64{1, 2}, 1, 2), ot.I("", []int64{3, 4}, 2, 1)}, []int{1, 1}, []float64{11}},
	{"einsum over pairs", 13, op("Einsum", ot.Text("equation", "ij,kj->ik")), []ot.Tensor{grid, grid}, []int{2, 2}, []float64{14, 32, 32, 77}},
	{"einsum trace", 13, op("Einsum", ot.Text("equation", "ii")), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2)}, []int{}, []float64{5}},
	// pictures
	{"convolution with bias", 13, op("Conv"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3), ot.F("", []float32{1, 0, 0, 1}, 1, 1, 2, 2), ot.F("", []float32{.5}, 1)}, []int{1, 1, 2, 2}, []float64{6.5, 8.5, 12.5, 14.5}},
	{"convolution in one dimension, dilated and strided", 13, op("Conv", ot.Ints("dilations", 2), ot.Ints("strides", 2)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5}, 1, 1, 5), ot.F("", []float32{1, 10}, 1, 1, 2)}, []int{1, 1, 2}, []float64{31, 53}},
	{"grouped convolution", 13, op("Conv", ot.Int("group", 2)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2), ot.F("", []float32{10, 100}, 2, 1, 1)}, []int{1, 2, 2}, []float64{10, 20, 300, 400}},
	{"same padding, more above", 13, op("Conv", ot.Text("auto_pad", "SAME_UPPER")), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 1, 3), ot.F("", []float32{1, 10}, 1, 1, 2)}, []int{1, 1, 3}, []float64{21, 32, 3}},
	{"same padding, more below", 13, op("Conv", ot.Text("auto_pad", "SAME_LOWER")), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 1, 3), ot.F("", []float32{1, 10}, 1, 1, 2)}, []int{1, 1, 3}, []float64{10, 21, 32}},
	{"max pool, negative values with padding", 13, op("MaxPool", ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0)), []ot.Tensor{ot.F("", []float32{-3, -2, -5}, 1, 1, 3)}, []int{1, 1, 3}, []float64{-3, -2, -2}},
	{"max pool rounds up", 13, op("MaxPool", ot.Ints("kernel_shape", 2), ot.Ints("strides", 2), ot.Int("ceil_mode", 1)), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 1, 3)}, []int{1, 1, 2}, []float64{2, 3}},
	{"max pool rounds up to its only window", 13, op("MaxPool", ot.Ints("kernel_shape", 4), ot.Ints("strides", 2), ot.Int("ceil_mode", 1)), []ot.Tensor{ot.F("", []float32{1, 3, 2}, 1, 1, 3)}, []int{1, 1, 1}, []float64{3}},
	{"average pool leaves padding out", 13, op("AveragePool", ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0)), []ot.Tensor{ot.F("", []float32{2, 4}, 1, 1, 2)}, []int{1, 1, 2}, []float64{2, 3}},
	{"average pool counts padding", 13, op("AveragePool", ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0), ot.Int("count_include_pad", 1)), []ot.Tensor{ot.F("", []float32{2, 4}, 1, 1, 2)}, []int{1, 1, 2}, []float64{1, 3}},
	{"global average", 13, op("GlobalAveragePool"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2, 1)}, []int{1, 2, 1, 1}, []float64{1.5, 3.5}},
	{"global maximum", 13, op("GlobalMaxPool"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2, 1)}, []int{1, 2, 1, 1}, []float64{2, 4}},
	// functions
	{"leaky relu", 16, op("LeakyRelu", ot.Float("alpha", .5)), []ot.Tensor{ot.F("", []float32{-2, 2}, 2)}, []int{2}, []float64{-1, 2}},
	{"relu keeps NaN", 14, op("Relu"), []ot.Tensor{ot.F("", []float32{-2, 2, float32(nan)}, 3)}, []int{3}, []float64{0, 2, nan}},
	{"elu", 13, op("Elu", ot.Float("alpha", 2)), []ot.Tensor{ot.F("", []float32{-1, 3}, 2)}, []int{2}, []float64{2 * (math.Exp(-1) - 1), 3}},
	{"swish", 24, op("Swish", ot.Float("alpha", 2)), []ot.Tensor{ot.F("", []float32{0, 1}, 2)}, []int{2}, []float64{0, 1 / (1 + math.Exp(-2))}},
	{"shrink", 9, op("Shrink", ot.Float("lambd", 1), ot.Float("bias", .5)), []ot.Tensor{ot.F("", []float32{-2, 1, 2}, 3)}, []int{3}, []float64{-1.5, 0, 1.5}},
	{"gelu", 20, op("Gelu"), []ot.Tensor{ot.F("", []float32{0, 1}, 2)}, []int{2}, []float64{0, .8413447460685429}},
	{"softplus of a large number", 13, op("Softplus"), []ot.Tensor{ot.F("", []float32{0, 100}, 2)}, []int{2}, []float64{math.Ln2, 100}},
	{"sigmoid at its ends", 13, op("Sigmoid"), []ot.Tensor{ot.F("", []float32{-1000, 0, 1000}, 3)}, []int{3}, []float64{0, .5, 1}},
	{"round half to even", 13, op("Round"), []ot.Tensor{ot.F("", []float32{.5, 1.5, -2.5}, 3)}, []int{3}, []float64{0, 2, -2}},
	{"sign", 13, op("Sign"), []ot.Tensor{ot.I("", []int64{-5, 0, 7}, 3)}, []int{3}, []float64{-1, 0, 1}},
	// arithmetic
	{"rows and columns", 14, op("Add"), []ot.Tensor{ot.F("", []float32{10, 20}, 2, 1), ot.F("", []float32{1, 2, 3}, 3)}, []int{2, 3}, []float64{11, 12, 13, 21, 22, 23}},
	{"middle dimension", 14, op("Sub"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2), ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2)}, []int{2, 2, 2}, []float64{0, 0, 2, 2, 2, 2, 4, 4}},
	{"integer division drops", 14, op("Div"), []ot.Tensor{ot.I("", []int64{7, -7}, 2), ot.I("", []int64{2})}, []int{2}, []float64{3, -3}},
	{"modulo has the divisor's sign", 13, op("Mod"), []ot.Tensor{ot.I("", []int64{-7, 7, -7}, 3), ot.I("", []int64{3, -3, -3}, 3)}, []int{3}, []float64{2, -2, -1}},
	{"fmod has the dividend's", 13, op("Mod", ot.Int("fmod", 1)), []ot.Tensor{ot.F("", []float32{-7, 7}, 2), ot.F("", []float32{3, -3}, 2)}, []int{2}, []float64{-1, 1}},
	{"integer power", 13, op("Pow"), []ot.Tensor{ot.I("", []int64{3, -2, 2}, 3), ot.I("", []int64{4, 3, -1}, 3)}, []int{3}, []float64{81, -8, 0}},
	{"power of mixed types", 13, op("Pow"), []ot.Tensor{ot.F("", []float32{4, 9}, 2), ot.I("", []int64{2})}, []int{2}, []float64{16, 81}},
	{"maximum of three", 13, op("Max"), []ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3}), ot.F("", []float32{2, 2}, 2)}, []int{2}, []float64{3, 5}},
	{"mean of two", 13, op("Mean"), []ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3, 3}, 2)}, []int{2}, []float64{2, 4}},
	{"one operand", 13, op("Sum"), []ot.Tensor{ot.F("", []float32{1, 5}, 2)}, []int{2}, []float64{1, 5}},
	{"choice", 16, op("Where"), []ot.Tensor{bools([]int32{1, 0}, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{9})}, []int{2}, []float64{1, 9}},
	{"comparison", 13, op("Less"), []ot.Tensor{ot.I("", []int64{1, 2, 3}, 3), ot.I("", []int64{2})}, []int{3}, []float64{1, 0, 0}},
	{"exclusive or", 7, op("Xor"), []ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)}, []int{2}, []float64{0, 1}},
	{"product of numbers", 14, op("Mul"), []ot.Tensor{ot.F("", []float32{2, 3}, 2), ot.F("", []float32{4, 5}, 2)}, []int{2}, []float64{8, 15}},
	{"minimum", 13, op("Min"), []ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3})}, []int{2}, []float64{1, 3}},
	{"equality of truths", 13, op("Equal"), []ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)}, []int{2}, []float64{1, 0}},
	{"greater", 13, op("Greater"), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.F("", []float32{2})}, []int{3}, []float64{0, 0, 1}},
	{"at least", 16, op("GreaterOrEqual"), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.F("", []float32{2})}, []int{3}, []float64{0, 1, 1}},
	{"at most", 16, op("LessOrEqual"), []ot.Tensor{ot.F("", []float32{1, 2, float32(nan)}, 3), ot.F("", []float32{2})}, []int{3}, []float64{1, 1, 0}},
	{"both", 7, op("And"), []ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)}, []int{2}, []float64{1, 0}},
	{"either", 7, op("Or"), []ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{0, 0}, 2)}, []int{2}, []float64{1, 0}},
	{"negation", 7, op("Not"), []ot.Tensor{bools([]int32{1, 0}, 2)}, []int{2}, []float64{0, 1}},
	{"parametric relu", 16, op("PRelu"), []ot.Tensor{ot.F("", []float32{-1, -1, 2, -2}, 2, 2), ot.F("", []float32{.5, 2}, 2)}, []int{2, 2}, []float64{-.5, -2, 2, -4}},
	// reductions
	{"product of a row", 13, op("ReduceProd", ot.Ints("axes", 1), ot.Int("keepdims", 0)), []ot.Tensor{grid}, []int{2}, []float64{6, 120}},
	{"first norm", 13, op("ReduceL1", ot.Ints("axes", 0), ot.Int("keepdims", 0)), []ot.Tensor{ot.F("", []float32{-1, 2, 3, -4}, 2, 2)}, []int{2}, []float64{4, 6}},
	{"second norm", 13, op("ReduceL2", ot.Int("keepdims", 0)), []ot.Tensor{ot.F("", []float32{3, -4}, 2)}, []int{}, []float64{5}},
	{"sum of squares of integers", 13, op("ReduceSumSquare"), []ot.Tensor{ot.I("", []int64{3, -4}, 2)}, []int{1}, []float64{25}},
	{"logarithm of a sum", 13, op("ReduceLogSum"), []ot.Tensor{ot.F("", []float32{1, 3}, 2)}, []int{1}, []float64{math.Log(4)}},
	{"logarithm of a sum of exponentials does not overflow", 13, op("ReduceLogSumExp", ot.Ints("axes", 0)), []ot.Tensor{ot.F("", []float32{1000, -1000, 1000, -1000}, 2, 2)}, []int{1, 2}, []float64{1000 + math.Ln2, -1000 + math.Ln2}},
	{"maximum of nothing", 13, op("ReduceMax", ot.Ints("axes", 0), ot.Int("keepdims", 0)), []ot.Tensor{ot.F("", nil, 0, 2)}, []int{2}, []float64{-inf, -inf}},
	{"minimum of nothing, integers", 13, op("ReduceMin", ot.Ints("axes", 0), ot.Int("keepdims", 0)), []ot.Tensor{{Type: ot.Int32, Dims: []int{0, 1}}}, []int{1}, []float64{math.MaxInt32}},
	{"first maximum", 13, op("ArgMax", ot.Int("axis", 1), ot.Int("keepdims", 0)), []ot.Tensor{ot.F("", []float32{1, 3, 3, 4, 2, 1}, 2, 3)}, []int{2}, []float64{1, 0}},
	{"last minimum", 13, op("ArgMin", ot.Int("axis", 0), ot.Int("select_last_index", 1)), []ot.Tensor{ot.F("", []float32{1, 2, 1, 3}, 2, 2)}, []int{1, 2}, []float64{1, 0}},
	{"sums so far, backwards and exclusive", 14, op("CumSum", ot.Int("exclusive", 1), ot.Int("reverse", 1)), []ot.Tensor{grid, ot.I("", []int64{1})}, []int{2, 3}, []float64{5, 3, 0, 11, 6, 0}},
	// normalisation
	{"layer normalisation", 17, op("LayerNormalization", ot.Float("epsilon", 0)), []ot.Tensor{ot.F("", []float32{1, 3, 2, 6}, 2, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{0, 1}, 2)}, []int{2, 2}, []float64{-1, 3, -1, 3}},
	{"instance normalisation", 13, op("InstanceNormalization", ot.Float("epsilon", 0)), []ot.Tensor{ot.F("", []float32{1, 3, 5, 9}, 1, 2, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{0, 1}, 2)}, []int{1, 2, 2}, []float64{-1, 1, -1, 3}},
	{"group normalisation", 21, op("GroupNormalization", ot.Float("epsilon", 0), ot.Int("num_groups", 1)), []ot.Tensor{ot.F("", []float32{1, 3}, 1, 2, 1), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{0, 1}, 2)}, []int{1, 2, 1}, []float64{-1, 3}},
	{"root mean square normalisation", 23, op("RMSNormalization", ot.Float("epsilon", 0)), []ot.Tensor{ot.F("", []float32{1, 7}, 1, 2), ot.F("", []float32{1, 2}, 2)}, []int{1, 2}, []float64{.2, 2.8}},
	// moving
	{"reversed axes", 13, op("Transpose"), []ot.Tensor{grid}, []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}},
	{"three axes", 13, op("Transpose", ot.Ints("perm", 1, 2, 0)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2)}, []int{1, 2, 2}, []float64{1, 3, 2, 4}},
	{"join columns", 13, op("Concat", ot.Int("axis", -1)), []ot.Tensor{grid, ot.F("", []float32{7, 8}, 2, 1)}, []int{2, 4}, []float64{1, 2, 3, 7, 4, 5, 6, 8}},
	{"gather with negative indices", 13, op("Gather", ot.Int("axis", 1)), []ot.Tensor{grid, ot.I("", []int64{-1, 0}, 2)}, []int{2, 2}, []float64{3, 1, 6, 4}},
	{"gather a scalar", 13, op("Gather"), []ot.Tensor{grid, ot.I("", []int64{1})}, []int{3}, []float64{4, 5, 6}},
	{"gather elements", 13, op("GatherElements", ot.Int("axis", 1)), []ot.Tensor{grid, ot.I("", []int64{2, 0, -1, 1}, 2, 2)}, []int{2, 2}, []float64{3, 1, 6, 5}},
	{"reshape copies and infers", 13, op("Reshape"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2, 1), ot.I("", []int64{0, -1}, 2)}, []int{2, 2}, []float64{1, 2, 3, 4}},
	{"flatten", 13, op("Flatten", ot.Int("axis", -1)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2)}, []int{2, 2}, []float64{1, 2, 3, 4}},
	{"expand both ways", 13, op("Expand"), []ot.Tensor{ot.F("", []float32{1, 2}, 2, 1), ot.I("", []int64{2, 1, 2}, 3)}, []int{2, 2, 2}, []float64{1, 1, 2, 2, 1, 1, 2, 2}},
	{"tile", 13, op("Tile"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 2), ot.I("", []int64{2, 2}, 2)}, []int{2, 4}, []float64{1, 2, 1, 2, 1, 2, 1, 2}},
	{"lower triangle", 14, op("Trilu", ot.Int("upper", 0)), []ot.Tensor{grid, ot.I("", []int64{1})}, []int{2, 3}, []float64{1, 2, 0, 4, 5, 6}},
	{"scatter and add", 18, op("ScatterElements", ot.Int("axis", 1), ot.Text("reduction", "add")), []ot.Tensor{grid, ot.I("", []int64{0, 0, 2, -1}, 2, 2), ot.F("", []float32{1, 1, 5, 7}, 2, 2)}, []int{2, 3}, []float64{3, 2, 3, 4, 5, 18}},
	{"scatter rows", 16, op("ScatterND"), []ot.Tensor{grid, ot.I("", []int64{1}, 1, 1), ot.F("", []float32{7, 8, 9}, 1, 3)}, []int{2, 3}, []float64{1, 2, 3, 7, 8, 9}},
	{"gather tuples", 13, op("GatherND"), []ot.Tensor{grid, ot.I("", []int64{0, 1, -1, 2}, 2, 2)}, []int{2}, []float64{2, 6}},
	{"one hot", 13, op("OneHot", ot.Int("axis", 0)), []ot.Tensor{ot.I("", []int64{1, -1}, 2), ot.I("", []int64{3}), ot.F("", []float32{0, 5}, 2)}, []int{3, 2}, []float64{0, 0, 5, 0, 0, 5}},
	{"places", 13, op("NonZero"), []ot.Tensor{ot.F("", []float32{0, 1, 2, 0}, 2, 2)}, []int{2, 2}, []float64{0, 1, 1, 0}},
	{"diagonal", 13, op("EyeLike", ot.Int("k", 1)), []ot.Tensor{grid}, []int{2, 3}, []float64{0, 1, 0, 0, 0, 1}},
	// sizes and types
	{"part of a shape", 15, op("Shape", ot.Int("start", -1)), []ot.Tensor{grid}, []int{1}, []float64{3}},
	{"size", 13, op("Size"), []ot.Tensor{grid}, []int{}, []float64{6}},
	{"range downwards", 13, op("Range"), []ot.Tensor{ot.I("", []int64{5}), ot.I("", []int64{0}), ot.I("", []int64{-2})}, []int{3}, []float64{5, 3, 1}},
	{"constant of a shape", 13, op("ConstantOfShape", ot.Dense("value", ot.I("", []int64{7}, 1))), []ot.Tensor{ot.I("", []int64{2}, 1)}, []int{2}, []float64{7, 7}},
	{"cast drops the fraction", 13, op("Cast", ot.Int("to", 7)), []ot.Tensor{ot.F("", []float32{-1.9, 1.9}, 2)}, []int{2}, []float64{-1, 1}},
	{"cast to another's type", 15, op("CastLike"), []ot.Tensor{ot.F("", []float32{2.5}, 1), ot.I("", []int64{0})}, []int{1}, []float64{2}},
	{"cast to truth", 13, op("Cast", ot.Int("to", 9)), []ot.Tensor{ot.F("", []float32{0, .1}, 2)}, []int{2}, []float64{0, 1}},
	{"cast to half rounds", 13, op("Cast", ot.Int("to", 10)), []ot.Tensor{ot.F("", []float32{1.0001, 70000}, 2)}, []int{2}, []float64{1, inf}},
	{"real numbers in a constant", 12, op("Constant", ot.Floats("value_floats", 1, 2)), nil, []int{2}, []float64{1, 2}},
	{"a number in a constant", 12, op("Constant", ot.Int("value_int", 3)), nil, []int{}, []float64{3}},
	{"tensor in a constant", 9, op("Constant", ot.Dense("value", grid)), nil, []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
	{"half precision initializer", 13, op("Identity"), []ot.Tensor{constant(ot.Tensor{Type: ot.Float16, Dims: []int{2}, Ints32: []int32{0x3c00, 0xc100}})}, []int{2}, []float64{1, -2.5}},
	{"bfloat16 initializer", 13, op("Identity"), []ot.Tensor{constant(ot.Tensor{Type: ot.BFloat16, Dims: []int{1}, Raw: []byte{0xc0, 0x3f}})}, []int{1}, []float64{1.5}},
	{"first branch", 13, op("If", ot.Body("then_branch", branchOf(1)), ot.Body("else_branch", branchOf(2, 3))), []ot.Tensor{bools([]int32{1})}, []int{1}, []float64{1}},
	{"other branch", 13, op("If", ot.Body("then_branch", branchOf(1)), ot.Body("else_branch", branchOf(2, 3))), []ot.Tensor{bools([]int32{0}, 1)}, []int{2}, []float64{2, 3}},
	{"dropout", 13, op("Dropout"), []ot.Tensor{grid, ot.F("", []float32{.5})}, []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
}
