package ops_test

import (
	"math"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// axisCases has the cases of the rows in ops/table_axis.go.
var axisCases = map[string][]operatorCase{
	"Softmax": {
		{
			"softmax 12 takes dimensions together", 12, nil,
			[]ot.Tensor{ot.F("", make([]float32, 4), 1, 2, 2)},
			[]int{1, 2, 2}, []float64{.25, .25, .25, .25},
		},
		{
			"softmax 13 takes the last", 13, nil,
			[]ot.Tensor{ot.F("", make([]float32, 4), 1, 2, 2)},
			[]int{1, 2, 2}, []float64{.5, .5, .5, .5},
		},
	},
	"LogSoftmax": {
		{
			"log softmax of large numbers", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1000, 1000}, 2)},
			[]int{2}, []float64{-math.Ln2, -math.Ln2},
		},
	},
	"Hardmax": {
		{
			"first of the largest", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 3, 3, 2, 1, 0}, 2, 3)},
			[]int{2, 3}, []float64{0, 1, 0, 1, 0, 0},
		},
	},
	"ReduceMax": {
		{
			"maximum of nothing", 13, attrs(ot.Ints("axes", 0), ot.Int("keepdims", 0)),
			[]ot.Tensor{ot.F("", nil, 0, 2)},
			[]int{2}, []float64{-inf, -inf},
		},
	},
	"ReduceMin": {
		{
			"minimum of nothing, integers", 13, attrs(ot.Ints("axes", 0), ot.Int("keepdims", 0)),
			[]ot.Tensor{{Type: ot.Int32, Dims: []int{0, 1}}},
			[]int{1}, []float64{math.MaxInt32},
		},
	},
	"ReduceMean": {
		{
			"mean 17 by attribute", 17, attrs(ot.Ints("axes", 1), ot.Int("keepdims", 0)),
			[]ot.Tensor{grid},
			[]int{2}, []float64{2, 5},
		},
		{
			"mean 18 by input", 18, attrs(ot.Int("keepdims", 0)),
			[]ot.Tensor{grid, ot.I("", []int64{0}, 1)},
			[]int{3}, []float64{2.5, 3.5, 4.5},
		},
	},
	"ReduceSum": {
		{
			"sum 12 by attribute", 12, attrs(ot.Ints("axes", 0)),
			[]ot.Tensor{grid},
			[]int{1, 3}, []float64{5, 7, 9},
		},
		{
			"sum 13 by input", 13, attrs(ot.Int("keepdims", 0)),
			[]ot.Tensor{grid, constant(ot.I("", []int64{-1}, 1))},
			[]int{2}, []float64{6, 15},
		},
		{
			"sum 13 of everything", 13, attrs(ot.Int("keepdims", 0)),
			[]ot.Tensor{grid},
			[]int{}, []float64{21},
		},
		{
			"sum 13 of nothing", 13, attrs(ot.Int("noop_with_empty_axes", 1)),
			[]ot.Tensor{grid},
			[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6},
		},
	},
	"ReduceProd": {
		{
			"product of a row", 13, attrs(ot.Ints("axes", 1), ot.Int("keepdims", 0)),
			[]ot.Tensor{grid},
			[]int{2}, []float64{6, 120},
		},
		{
			"product of nothing", 13, attrs(ot.Ints("axes", 1), ot.Int("keepdims", 0)),
			[]ot.Tensor{ot.F("", nil, 2, 0)},
			[]int{2}, []float64{1, 1},
		},
	},
	"ReduceL1": {
		{
			"first norm", 13, attrs(ot.Ints("axes", 0), ot.Int("keepdims", 0)),
			[]ot.Tensor{ot.F("", []float32{-1, 2, 3, -4}, 2, 2)},
			[]int{2}, []float64{4, 6},
		},
	},
	"ReduceL2": {
		{"of columns", 13, attrs(ot.Ints("axes", 0)), []ot.Tensor{grid}, []int{1, 3},
			[]float64{math.Sqrt(17), math.Sqrt(29), math.Sqrt(45)}},
		{
			"second norm", 13, attrs(ot.Int("keepdims", 0)),
			[]ot.Tensor{ot.F("", []float32{3, -4}, 2)},
			[]int{}, []float64{5},
		},
	},
	"ReduceLogSum": {
		{"of columns", 13, attrs(ot.Ints("axes", 0)), []ot.Tensor{grid}, []int{1, 3},
			[]float64{math.Log(5), math.Log(7), math.Log(9)}},
		{
			"logarithm of a sum", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 3}, 2)},
			[]int{1}, []float64{math.Log(4)},
		},
	},
	"ReduceLogSumExp": {
		{
			"logarithm of a sum of exponentials does not overflow", 13, attrs(ot.Ints("axes", 0)),
			[]ot.Tensor{ot.F("", []float32{1000, -1000, 1000, -1000}, 2, 2)},
			[]int{1, 2}, []float64{1000 + math.Ln2, -1000 + math.Ln2},
		},
	},
	"ReduceSumSquare": {
		{"of columns", 13, attrs(ot.Ints("axes", 0)), []ot.Tensor{grid}, []int{1, 3},
			[]float64{17, 29, 45}},
		{
			"sum of squares of integers", 13, nil,
			[]ot.Tensor{ot.I("", []int64{3, -4}, 2)},
			[]int{1}, []float64{25},
		},
	},
	"ArgMax": {
		{
			"first maximum", 13, attrs(ot.Int("axis", 1), ot.Int("keepdims", 0)),
			[]ot.Tensor{ot.F("", []float32{1, 3, 3, 4, 2, 1}, 2, 3)},
			[]int{2}, []float64{1, 0},
		},
	},
	"ArgMin": {
		{
			"last minimum", 13, attrs(ot.Int("axis", 0), ot.Int("select_last_index", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 1, 3}, 2, 2)},
			[]int{1, 2}, []float64{1, 0},
		},
	},
	"TopK": {
		{
			"top k 9", 9, attrs(ot.Int("k", 2)),
			[]ot.Tensor{grid},
			[]int{2, 2}, []float64{3, 2, 6, 5},
		},
		{
			"top k 11, smallest along 0", 11, attrs(ot.Int("axis", 0), ot.Int("largest", 0)),
			[]ot.Tensor{grid, ot.I("", []int64{1}, 1)},
			[]int{1, 3}, []float64{1, 2, 3},
		},
	},
	"CumSum": {
		{
			"sums so far, backwards and exclusive", 14,
			attrs(ot.Int("exclusive", 1), ot.Int("reverse", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{1})},
			[]int{2, 3}, []float64{5, 3, 0, 11, 6, 0},
		},
	},
	"CumProd": {
		{
			"rows", 26, nil,
			[]ot.Tensor{grid, ot.I("", []int64{1})},
			[]int{2, 3}, []float64{1, 2, 6, 4, 20, 120},
		},
		{
			"backwards, without itself", 26, attrs(ot.Int("reverse", 1), ot.Int("exclusive", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{1})},
			[]int{2, 3}, []float64{6, 3, 1, 30, 6, 1},
		},
	},
	"DFT": {
		{
			"three real numbers", 17, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 4}, 1, 3, 1)},
			[]int{1, 3, 2}, []float64{7, 0, -2, math.Sqrt(3), -2, -math.Sqrt(3)},
		},
		{
			"along the first axis by attribute", 17, attrs(ot.Int("axis", 0)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 4, 3, 0, 1, 0, -1}, 2, 4, 1)},
			[]int{2, 4, 2}, []float64{1, 0, 3, 0, 4, 0, 2, 0, 1, 0, 1, 0, 4, 0, 4, 0},
		},
		{
			"half of the spectra, by inputs", 20, attrs(ot.Int("onesided", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 4, 3, 0, 1, 0, -1}, 2, 4, 1), omitted,
				constant(ot.I("", []int64{1}))},
			[]int{2, 3, 2}, []float64{10, 0, -3, 1, 0, 0, 0, 0, 0, -2, 0, 0},
		},
		{
			"a cut signal", 20, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 4, 3}, 1, 4, 1), ot.I("", []int64{3})},
			[]int{1, 3, 2}, []float64{7, 0, -2, math.Sqrt(3), -2, -math.Sqrt(3)},
		},
		{
			"a signal with zeros behind it", 17, nil,
			[]ot.Tensor{ot.F("", []float32{3}, 1, 1, 1), ot.I("", []int64{3})},
			[]int{1, 3, 2}, []float64{3, 0, 3, 0, 3, 0},
		},
		{
			"inverse of complex numbers", 20, attrs(ot.Int("inverse", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 1, 2, -1}, 2, 2)},
			[]int{2, 2}, []float64{1.5, 0, -.5, 1},
		},
		{
			"inverse of half of a spectrum", 20, attrs(ot.Int("inverse", 1), ot.Int("onesided", 1)),
			[]ot.Tensor{ot.F("", []float32{10, 0, -3, 1, 0, 0}, 1, 3, 2)},
			[]int{1, 4, 1}, []float64{1, 2, 4, 3},
		},
		{
			"inverse of an odd length", 20, attrs(ot.Int("inverse", 1), ot.Int("onesided", 1)),
			[]ot.Tensor{ot.F("", []float32{7, 0, -2, float32(math.Sqrt(3))}, 1, 2, 2),
				ot.I("", []int64{3})},
			[]int{1, 3, 1}, []float64{1, 2, 4},
		},
	},
	"STFT": {
		{
			"frames of four samples", 17, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 4, 3, 0, 1, 0}, 1, 7, 1), ot.I("", []int64{3}),
				omitted, constant(ot.I("", []int64{4}))},
			[]int{1, 2, 3, 2}, []float64{10, 0, -3, 1, 0, 0, 4, 0, 2, 0, 4, 0},
		},
		{
			"whole spectra of windows", 17, attrs(ot.Int("onesided", 0)),
			[]ot.Tensor{ot.F("", []float32{1, 1, 1, 2, -1, 3, 2, 1}, 2, 2, 2),
				ot.I("", []int64{1}), constant(ot.F("", []float32{1, 2}, 2))},
			[]int{2, 1, 2, 2}, []float64{3, 5, -1, -3, 3, 5, -5, 1},
		},
	},
	"ReverseSequence": {
		{
			"two lengths", 10, attrs(ot.Int("batch_axis", 0), ot.Int("time_axis", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{2, 3}, 2)},
			[]int{2, 3}, []float64{2, 1, 3, 6, 5, 4},
		},
	},
	"BatchNormalization": {
		{
			"batch normalisation", 9, attrs(ot.Float("epsilon", 0)),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 2, 2), ot.F("", []float32{1, 2}, 2),
				ot.F("", []float32{0, 1}, 2), ot.F("", []float32{1, 2}, 2),
				ot.F("", []float32{4, 1}, 2),
			},
			[]int{2, 2}, []float64{0, 1, 1, 5},
		},
	},
	"InstanceNormalization": {
		{
			"instance normalisation", 13, attrs(ot.Float("epsilon", 0)),
			[]ot.Tensor{
				ot.F("", []float32{1, 3, 5, 9}, 1, 2, 2), ot.F("", []float32{1, 2}, 2),
				ot.F("", []float32{0, 1}, 2),
			},
			[]int{1, 2, 2}, []float64{-1, 1, -1, 3},
		},
	},
	"GroupNormalization": {
		{
			"group normalisation", 21, attrs(ot.Float("epsilon", 0), ot.Int("num_groups", 1)),
			[]ot.Tensor{
				ot.F("", []float32{1, 3}, 1, 2, 1), ot.F("", []float32{1, 2}, 2),
				ot.F("", []float32{0, 1}, 2),
			},
			[]int{1, 2, 1}, []float64{-1, 3},
		},
	},
	"LayerNormalization": {
		{
			"layer normalisation", 17, attrs(ot.Float("epsilon", 0)),
			[]ot.Tensor{
				ot.F("", []float32{1, 3, 2, 6}, 2, 2), ot.F("", []float32{1, 2}, 2),
				ot.F("", []float32{0, 1}, 2),
			},
			[]int{2, 2}, []float64{-1, 3, -1, 3},
		},
	},
	"RMSNormalization": {
		{
			"root mean square normalisation", 23, attrs(ot.Float("epsilon", 0)),
			[]ot.Tensor{ot.F("", []float32{1, 7}, 1, 2), ot.F("", []float32{1, 2}, 2)},
			[]int{1, 2}, []float64{.2, 2.8},
		},
	},
	"LpNormalization": {
		{
			"length one", 22, nil,
			[]ot.Tensor{ot.F("", []float32{3, -4, 0, 0}, 2, 2)},
			[]int{2, 2}, []float64{.6, -.8, 0, 0},
		},
		{
			"sum one", 22, attrs(ot.Int("p", 1), ot.Int("axis", 0)),
			[]ot.Tensor{ot.F("", []float32{3, 4, 1, 0}, 2, 2)},
			[]int{2, 2}, []float64{.75, 1, .25, 0},
		},
	},
	"LRN": {
		{
			"two", 13, attrs(ot.Int("size", 1), ot.Float("alpha", 1), ot.Float("beta", 1)),
			[]ot.Tensor{two},
			[]int{2, 1, 2}, []float64{.5, .4, .3, 4. / 17},
		},
		{
			"neighbours", 13, attrs(ot.Int("size", 3), ot.Float("alpha", 3), ot.Float("beta", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 3, 1)},
			[]int{1, 3, 1}, []float64{1. / 6, 2. / 15, 3. / 14},
		},
	},
	"MeanVarianceNormalization": {
		{
			"rows", 13, attrs(ot.Ints("axes", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 3, 5, 9}, 2, 2)},
			[]int{2, 2}, []float64{-1, 1, -1, 1},
		},
	},
	"Attention": {
		{
			"equal keys", 23, nil,
			[]ot.Tensor{
				ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1),
				ot.F("", []float32{1, 3}, 1, 1, 2, 1),
			},
			[]int{1, 1, 1, 1}, []float64{2},
		},
		{
			"a key shut", 23, nil,
			[]ot.Tensor{
				ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1),
				ot.F("", []float32{1, 3}, 1, 1, 2, 1), bools([]int32{0, 1}, 1, 2),
			},
			[]int{1, 1, 1, 1}, []float64{3},
		},
		{
			"all keys shut", 23, nil,
			[]ot.Tensor{
				ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1),
				ot.F("", []float32{1, 3}, 1, 1, 2, 1), bools([]int32{0, 0}, 1, 2),
			},
			[]int{1, 1, 1, 1}, []float64{0},
		},
		{
			"causal", 23,
			attrs(ot.Int("is_causal", 1), ot.Int("q_num_heads", 1), ot.Int("kv_num_heads", 1)),
			[]ot.Tensor{
				ot.F("", []float32{0, 0}, 1, 2, 1), ot.F("", []float32{0, 0}, 1, 2, 1),
				ot.F("", []float32{1, 3}, 1, 2, 1),
			},
			[]int{1, 2, 1}, []float64{1, 2},
		},
	},
	"RotaryEmbedding": {
		{
			"quarter turn", 23, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2}, 1, 1, 1, 2), ot.F("", []float32{0}, 1, 1, 1),
				ot.F("", []float32{1}, 1, 1, 1),
			},
			[]int{1, 1, 1, 2}, []float64{-2, 1},
		},
	},
}
