package ops_test

import (
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// linearCases has the cases of the rows in ops/table_linear.go.
var linearCases = map[string][]operatorCase{
	"Conv": {
		{
			"convolution with bias", 13, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3),
				ot.F("", []float32{1, 0, 0, 1}, 1, 1, 2, 2), ot.F("", []float32{.5}, 1),
			},
			[]int{1, 1, 2, 2}, []float64{6.5, 8.5, 12.5, 14.5},
		},
		{
			"convolution in one dimension, dilated and strided", 13,
			attrs(ot.Ints("dilations", 2), ot.Ints("strides", 2)),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4, 5}, 1, 1, 5), ot.F("", []float32{1, 10}, 1, 1, 2),
			},
			[]int{1, 1, 2}, []float64{31, 53},
		},
		{
			"grouped convolution", 13, attrs(ot.Int("group", 2)),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2), ot.F("", []float32{10, 100}, 2, 1, 1),
			},
			[]int{1, 2, 2}, []float64{10, 20, 300, 400},
		},
		{
			"same padding, more above", 13, attrs(ot.Text("auto_pad", "SAME_UPPER")),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3}, 1, 1, 3), ot.F("", []float32{1, 10}, 1, 1, 2),
			},
			[]int{1, 1, 3}, []float64{21, 32, 3},
		},
		{
			"same padding, more below", 13, attrs(ot.Text("auto_pad", "SAME_LOWER")),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3}, 1, 1, 3), ot.F("", []float32{1, 10}, 1, 1, 2),
			},
			[]int{1, 1, 3}, []float64{10, 21, 32},
		},
		{
			"doubles", 11, nil,
			[]ot.Tensor{
				{Type: ot.Float64, Dims: []int{1, 1, 3}, Doubles: []float64{1, 2, 3}},
				{Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 10}},
				{Type: ot.Float64, Dims: []int{1}, Doubles: []float64{.5}},
			},
			[]int{1, 1, 2}, []float64{21.5, 32.5},
		},
	},
	"Gemm": {
		{
			"gemm 7", 7, attrs(ot.Float("alpha", 2), ot.Float("beta", .5)),
			[]ot.Tensor{grid, ot.F("", []float32{1, 0, 1}, 3, 1), ot.F("", []float32{10}, 1)},
			[]int{2, 1}, []float64{13, 25},
		},
		{
			"gemm 11 without a third", 11, attrs(ot.Int("transA", 1)),
			[]ot.Tensor{grid, ot.F("", []float32{1, 1}, 2, 1)},
			[]int{3, 1}, []float64{5, 7, 9},
		},
		{
			"gemm with constant transposed weights", 13, attrs(ot.Int("transB", 1)),
			[]ot.Tensor{
				grid, constant(ot.F("", []float32{1, 0, 1, 0, 1, 0}, 2, 3)),
				constant(ot.F("", []float32{1, 2}, 2)),
			},
			[]int{2, 2}, []float64{5, 4, 11, 7},
		},
	},
	"MatMul": {
		{
			"product", 13, nil,
			[]ot.Tensor{grid, ot.F("", []float32{1, 0, 0, 1, 1, 1}, 3, 2)},
			[]int{2, 2}, []float64{4, 5, 10, 11},
		},
		{
			"vector by matrix", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2}, 2), grid},
			[]int{3}, []float64{9, 12, 15},
		},
		{
			"matrix by vector", 13, nil,
			[]ot.Tensor{grid, ot.F("", []float32{1, 0, 2}, 3)},
			[]int{2}, []float64{7, 16},
		},
		{
			"vector by vector", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2}, 2), ot.F("", []float32{3, 4}, 2)},
			[]int{}, []float64{11},
		},
		{
			"broadcast batch", 13, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2),
				ot.F("", []float32{1, 1, 2, 0}, 2, 1, 2, 1),
			},
			[]int{2, 2, 1, 1}, []float64{3, 7, 2, 6},
		},
		{
			"integers", 13, nil,
			[]ot.Tensor{ot.I("", []int64{1, 2}, 1, 2), ot.I("", []int64{3, 4}, 2, 1)},
			[]int{1, 1}, []float64{11},
		},
	},
	"Einsum": {
		{
			"einsum over pairs", 13, attrs(ot.Text("equation", "ij,kj->ik")),
			[]ot.Tensor{grid, grid},
			[]int{2, 2}, []float64{14, 32, 32, 77},
		},
		{
			"einsum trace", 13, attrs(ot.Text("equation", "ii")),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2)},
			[]int{}, []float64{5},
		},
		{
			"two", 13, attrs(ot.Text("equation", "bi,ij->bj")),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 2, 2), ot.F("", []float32{1, 0, 1, 1}, 2, 2),
			},
			[]int{2, 2}, []float64{3, 2, 7, 4},
		},
		{
			"ellipsis", 12, attrs(ot.Text("equation", "...ij,jk->...ik")),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{1, 0, 1, 1}, 2, 2),
			},
			[]int{2, 1, 2}, []float64{3, 2, 7, 4},
		},
		{
			"ellipsis of the result alone", 12, attrs(ot.Text("equation", "ij->...ij")),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2)},
			[]int{2, 2}, []float64{1, 2, 3, 4},
		},
		{
			"diagonals", 12, attrs(ot.Text("equation", "...ii->...i")),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2)},
			[]int{2, 2}, []float64{1, 4, 5, 8},
		},
		{
			"a repeated place", 12, attrs(ot.Text("equation", "ij,ij->ij")),
			[]ot.Tensor{grid, ot.F("", []float32{1, 2, 3}, 1, 3)},
			[]int{2, 3}, []float64{1, 4, 9, 4, 10, 18},
		},
		{
			"heads", 12, attrs(ot.Text("equation", "qhd,khd->hqk")),
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2),
				ot.F("", []float32{1, 0, 0, 1, 1, 1, 2, 2}, 2, 2, 2),
			},
			[]int{2, 1, 2}, []float64{1, 3, 4, 14},
		},
		{
			"turned result", 12, attrs(ot.Text("equation", "ij,jk->ki")),
			[]ot.Tensor{
				ints32([]int32{1, 2, 3, 4, 5, 6}, 2, 3), ints32([]int32{1, 1, 1, 0, 1, 0}, 3, 2),
			},
			[]int{2, 2}, []float64{6, 15, 1, 4},
		},
	},
	"ConvTranspose": {
		{
			"one stride", 22, nil,
			[]ot.Tensor{pair, tens},
			[]int{1, 1, 4}, []float64{1, 12, 120, 200},
		},
		{
			"two strides", 11, attrs(ot.Ints("strides", 2)),
			[]ot.Tensor{pair, tens, ot.F("", []float32{.5}, 1)},
			[]int{1, 1, 5}, []float64{1.5, 10.5, 102.5, 20.5, 200.5},
		},
		{
			"padding cuts", 11, attrs(ot.Ints("strides", 2), ot.Ints("pads", 1, 1)),
			[]ot.Tensor{pair, tens},
			[]int{1, 1, 3}, []float64{10, 102, 20},
		},
		{
			"more at the end", 11, attrs(ot.Ints("strides", 2), ot.Ints("output_padding", 1)),
			[]ot.Tensor{pair, tens},
			[]int{1, 1, 6}, []float64{1, 10, 102, 20, 200, 0},
		},
		{
			"groups", 11, attrs(ot.Int("group", 2)),
			[]ot.Tensor{
				ot.F("", []float32{1, 2}, 1, 2, 1), ot.F("", []float32{3, 4, 5, 6}, 2, 2, 1),
			},
			[]int{1, 4, 1}, []float64{3, 4, 10, 12},
		},
		{
			"doubles", 11, nil,
			[]ot.Tensor{
				{Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 2}},
				{Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 10}},
			},
			[]int{1, 1, 3}, []float64{1, 12, 20},
		},
		{
			"two", 11, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2), tens},
			[]int{2, 1, 4}, []float64{1, 12, 120, 200, 3, 34, 340, 400},
		},
	},
	"Resize": {
		{
			"nearest", 19, nil,
			[]ot.Tensor{pair, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))},
			[]int{1, 1, 4}, []float64{1, 1, 2, 2},
		},
		{
			"linear", 13, attrs(ot.Text("mode", "linear")),
			[]ot.Tensor{pair, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))},
			[]int{1, 1, 4}, []float64{1, 1.25, 1.75, 2},
		},
		{
			"corners", 11,
			attrs(
				ot.Text("mode", "linear"),
				ot.Text("coordinate_transformation_mode", "align_corners"),
			),
			[]ot.Tensor{pair, ot.F("", nil, 0), ot.F("", nil, 0), ot.I("", []int64{1, 1, 3}, 3)},
			[]int{1, 1, 3}, []float64{1, 1.5, 2},
		},
		{
			"opset 10 takes the place before", 10, nil,
			[]ot.Tensor{pair, ot.F("", []float32{1, 1, 1.5}, 3)},
			[]int{1, 1, 3}, []float64{1, 1, 2},
		},
		{
			"some axes", 18, attrs(ot.Ints("axes", 2)),
			[]ot.Tensor{pair, omitted, ot.F("", []float32{2}, 1)},
			[]int{1, 1, 4}, []float64{1, 1, 2, 2},
		},
		{
			"bytes", 13, attrs(ot.Text("mode", "linear")),
			[]ot.Tensor{
				bytesTensor([]int32{10, 20}, 1, 1, 2), omitted, ot.F("", []float32{1, 1, 2}, 3),
			},
			[]int{1, 1, 4}, []float64{10, 12, 17, 20},
		},
		{
			"two", 19, nil,
			[]ot.Tensor{two, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))},
			[]int{2, 1, 4}, []float64{1, 1, 2, 2, 3, 3, 4, 4},
		},
		{
			"two by an axis", 19, attrs(ot.Ints("axes", -1), ot.Text("mode", "linear")),
			[]ot.Tensor{two, omitted, constant(ot.F("", []float32{2}, 1))},
			[]int{2, 1, 4}, []float64{1, 1.25, 1.75, 2, 3, 3.25, 3.75, 4},
		},
		{
			"two mixed", 19, nil,
			[]ot.Tensor{two, omitted, constant(ot.F("", []float32{2, 1, 1}, 3))},
			[]int{4, 1, 2}, []float64{1, 2, 1, 2, 3, 4, 3, 4},
		},
		{
			"two with nothing to do", 19, attrs(ot.Ints("axes", 0)),
			[]ot.Tensor{two, omitted, constant(ot.F("", []float32{1}, 1))},
			[]int{2, 1, 2}, []float64{1, 2, 3, 4},
		},
	},
	"Upsample": {
		{
			"scales", 9, nil,
			[]ot.Tensor{pair, constant(ot.F("", []float32{1, 1, 2}, 3))},
			[]int{1, 1, 4}, []float64{1, 1, 2, 2},
		},
		{
			"two", 9, nil,
			[]ot.Tensor{two, constant(ot.F("", []float32{1, 1, 2}, 3))},
			[]int{2, 1, 4}, []float64{1, 1, 2, 2, 3, 3, 4, 4},
		},
	},
	"GridSample": {
		{
			"between and beyond", 20, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 3}, 1, 1, 1, 2),
				ot.F("", []float32{-1, 0, 0, 0, .5, 0}, 1, 1, 3, 2),
			},
			[]int{1, 1, 1, 3}, []float64{.5, 2, 3},
		},
		{
			"border", 16, attrs(ot.Text("mode", "bilinear"), ot.Text("padding_mode", "border")),
			[]ot.Tensor{
				ot.F("", []float32{1, 3}, 1, 1, 1, 2),
				ot.F("", []float32{-1, 0, 0, 0, 9, 9}, 1, 1, 3, 2),
			},
			[]int{1, 1, 1, 3}, []float64{1, 2, 3},
		},
		{
			"two", 20, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 3, 5, 7}, 2, 1, 1, 2),
				ot.F("", []float32{0, 0, .5, 0, .5, 0, 0, 0}, 2, 1, 2, 2),
			},
			[]int{2, 1, 1, 2}, []float64{2, 3, 7, 6},
		},
	},
	"QuantizeLinear": {
		{
			"ties, zero point and range", 13, nil,
			[]ot.Tensor{
				ot.F("", []float32{-1, .25, .75, 300}, 4), one(.5), bytesTensor([]int32{128}),
			},
			[]int{4}, []float64{126, 128, 130, 255},
		},
		{
			"scale of each column", 13, nil,
			[]ot.Tensor{grid, ot.F("", []float32{1, 2, 3}, 3)},
			[]int{2, 3}, []float64{1, 1, 1, 4, 2, 2},
		},
		{
			"scale of blocks", 21, attrs(ot.Int("block_size", 2)),
			[]ot.Tensor{grid, ot.F("", []float32{1, 3, 2, 3}, 2, 2)},
			[]int{2, 3}, []float64{1, 2, 1, 2, 2, 2},
		},
		{
			"four bits", 21, attrs(ot.Int("output_dtype", 22)),
			[]ot.Tensor{ot.F("", []float32{-99, -3, 99}, 3), one(1)},
			[]int{3}, []float64{-8, -3, 7},
		},
	},
	"DequantizeLinear": {
		{
			"two", 13, attrs(ot.Int("axis", 2)),
			[]ot.Tensor{bytesTensor([]int32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{1, 10}, 2)},
			[]int{2, 1, 2}, []float64{1, 20, 3, 40},
		},
		{
			"back", 13, nil,
			[]ot.Tensor{bytesTensor([]int32{126, 129}, 2), one(.5), bytesTensor([]int32{128})},
			[]int{2}, []float64{-1, .5},
		},
	},
	"DynamicQuantizeLinear": {
		{
			"of the range", 11, nil,
			[]ot.Tensor{ot.F("", []float32{-255, 0, -100}, 3)},
			[]int{3}, []float64{0, 255, 155},
		},
	},
	"MatMulInteger": {
		{
			"without zero points", 10, nil,
			[]ot.Tensor{
				bytesTensor([]int32{3, 4}, 1, 2), bytesTensor([]int32{5, 6}, 2, 1),
				bytesTensor([]int32{1}), bytesTensor([]int32{2}),
			},
			[]int{1, 1}, []float64{18},
		},
		{
			"zero point of each row and column", 10, nil,
			[]ot.Tensor{
				bytesTensor([]int32{3, 4}, 2, 1), bytesTensor([]int32{5, 6}, 1, 2),
				bytesTensor([]int32{1, 2}, 2), bytesTensor([]int32{3, 5}, 2),
			},
			[]int{2, 2}, []float64{4, 2, 4, 2},
		},
	},
	"QLinearMatMul": {
		{
			"scaled", 21, nil,
			[]ot.Tensor{
				bytesTensor([]int32{3, 4}, 1, 2), one(.5), bytesTensor([]int32{1}),
				bytesTensor([]int32{5, 6}, 2, 1), one(2), bytesTensor([]int32{2}), one(3),
				bytesTensor([]int32{10}),
			},
			[]int{1, 1}, []float64{16},
		},
	},
	"ConvInteger": {
		{
			"without a zero point", 10, nil,
			[]ot.Tensor{
				bytesTensor([]int32{2, 3, 4}, 1, 1, 3), bytesTensor([]int32{1, 2}, 1, 1, 2),
				bytesTensor([]int32{1}),
			},
			[]int{1, 1, 2}, []float64{5, 8},
		},
	},
	"QLinearConv": {
		{
			"two", 10, nil,
			[]ot.Tensor{
				bytesTensor([]int32{2, 3, 4, 5}, 2, 1, 2), one(.5), bytesTensor([]int32{1}),
				bytesTensor([]int32{1, 2}, 1, 1, 2), one(2), bytesTensor([]int32{0}), one(1),
				bytesTensor([]int32{3}),
			},
			[]int{2, 1, 1}, []float64{8, 14},
		},
		{
			"scaled", 10, nil,
			[]ot.Tensor{
				bytesTensor([]int32{2, 3, 4}, 1, 1, 3), one(.5), bytesTensor([]int32{1}),
				bytesTensor([]int32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{2, 4}, 2),
				bytesTensor([]int32{0, 0}, 2), one(1), bytesTensor([]int32{3}),
				ints32([]int32{1, 100}, 2),
			},
			[]int{1, 2, 2}, []float64{9, 12, 225, 239},
		},
	},
	"MaxPool": {
		{
			"max pool, negative values with padding", 13,
			attrs(ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0)),
			[]ot.Tensor{ot.F("", []float32{-3, -2, -5}, 1, 1, 3)},
			[]int{1, 1, 3}, []float64{-3, -2, -2},
		},
		{
			"max pool rounds up", 13,
			attrs(ot.Ints("kernel_shape", 2), ot.Ints("strides", 2), ot.Int("ceil_mode", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 1, 3)},
			[]int{1, 1, 2}, []float64{2, 3},
		},
		{
			"max pool rounds up to its only window", 13,
			attrs(ot.Ints("kernel_shape", 4), ot.Ints("strides", 2), ot.Int("ceil_mode", 1)),
			[]ot.Tensor{ot.F("", []float32{1, 3, 2}, 1, 1, 3)},
			[]int{1, 1, 1}, []float64{3},
		},
	},
	"AveragePool": {
		{
			"average pool leaves padding out", 13,
			attrs(ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0)),
			[]ot.Tensor{ot.F("", []float32{2, 4}, 1, 1, 2)},
			[]int{1, 1, 2}, []float64{2, 3},
		},
		{
			"average pool counts padding", 13,
			attrs(
				ot.Ints("kernel_shape", 2), ot.Ints("pads", 1, 0), ot.Int("count_include_pad", 1),
			),
			[]ot.Tensor{ot.F("", []float32{2, 4}, 1, 1, 2)},
			[]int{1, 1, 2}, []float64{1, 3},
		},
	},
	"GlobalAveragePool": {
		{
			"global average", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2, 1)},
			[]int{1, 2, 1, 1}, []float64{1.5, 3.5},
		},
	},
	"GlobalMaxPool": {
		{
			"global maximum", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2, 1)},
			[]int{1, 2, 1, 1}, []float64{2, 4},
		},
	},
	"LpPool": {
		{
			"root of squares", 18, attrs(ot.Ints("kernel_shape", 2)),
			[]ot.Tensor{ot.F("", []float32{3, -4, 0}, 1, 1, 3)},
			[]int{1, 1, 2}, []float64{5, 4},
		},
		{
			"two", 18, attrs(ot.Ints("kernel_shape", 2), ot.Int("p", 1)),
			[]ot.Tensor{two},
			[]int{2, 1, 1}, []float64{3, 7},
		},
	},
	"GlobalLpPool": {
		{
			"sum", 22, attrs(ot.Int("p", 1)),
			[]ot.Tensor{ot.F("", []float32{3, -4, 0}, 1, 1, 3)},
			[]int{1, 1, 1}, []float64{7},
		},
	},
}
