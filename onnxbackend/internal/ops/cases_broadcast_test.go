package ops_test

import (
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// broadcastCases has the cases of the rows in ops/table_broadcast.go.
var broadcastCases = map[string][]operatorCase{
	"Add": {
		{
			"rows and columns", 14, nil,
			[]ot.Tensor{ot.F("", []float32{10, 20}, 2, 1), ot.F("", []float32{1, 2, 3}, 3)},
			[]int{2, 3}, []float64{11, 12, 13, 21, 22, 23},
		},
	},
	"Sub": {
		{
			"middle dimension", 14, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2),
				ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2),
			},
			[]int{2, 2, 2}, []float64{0, 0, 2, 2, 2, 2, 4, 4},
		},
	},
	"Mul": {
		{
			"product of numbers", 14, nil,
			[]ot.Tensor{ot.F("", []float32{2, 3}, 2), ot.F("", []float32{4, 5}, 2)},
			[]int{2}, []float64{8, 15},
		},
	},
	"Div": {
		{
			"integer division drops", 14, nil,
			[]ot.Tensor{ot.I("", []int64{7, -7}, 2), ot.I("", []int64{2})},
			[]int{2}, []float64{3, -3},
		},
	},
	"PRelu": {
		{
			"parametric relu", 16, nil,
			[]ot.Tensor{ot.F("", []float32{-1, -1, 2, -2}, 2, 2), ot.F("", []float32{.5, 2}, 2)},
			[]int{2, 2}, []float64{-.5, -2, 2, -4},
		},
	},
	"Mod": {
		{
			"modulo has the divisor's sign", 13, nil,
			[]ot.Tensor{ot.I("", []int64{-7, 7, -7}, 3), ot.I("", []int64{3, -3, -3}, 3)},
			[]int{3}, []float64{2, -2, -1},
		},
		{
			"fmod has the dividend's", 13, attrs(ot.Int("fmod", 1)),
			[]ot.Tensor{ot.F("", []float32{-7, 7}, 2), ot.F("", []float32{3, -3}, 2)},
			[]int{2}, []float64{-1, 1},
		},
	},
	"Pow": {
		{
			"integer power", 13, nil,
			[]ot.Tensor{ot.I("", []int64{3, -2, 2}, 3), ot.I("", []int64{4, 3, -1}, 3)},
			[]int{3}, []float64{81, -8, 0},
		},
		{
			"power of mixed types", 13, nil,
			[]ot.Tensor{ot.F("", []float32{4, 9}, 2), ot.I("", []int64{2})},
			[]int{2}, []float64{16, 81},
		},
	},
	"Max": {
		{
			"maximum of three", 13, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3}),
				ot.F("", []float32{2, 2}, 2),
			},
			[]int{2}, []float64{3, 5},
		},
	},
	"Min": {
		{
			"minimum", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3})},
			[]int{2}, []float64{1, 3},
		},
	},
	"Sum": {
		{
			"one operand", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 5}, 2)},
			[]int{2}, []float64{1, 5},
		},
	},
	"Mean": {
		{
			"mean of two", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 5}, 2), ot.F("", []float32{3, 3}, 2)},
			[]int{2}, []float64{2, 4},
		},
	},
	"Equal": {
		{
			"equality of truths", 13, nil,
			[]ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)},
			[]int{2}, []float64{1, 0},
		},
	},
	"Greater": {
		{
			"greater", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.F("", []float32{2})},
			[]int{3}, []float64{0, 0, 1},
		},
	},
	"Less": {
		{
			"comparison", 13, nil,
			[]ot.Tensor{ot.I("", []int64{1, 2, 3}, 3), ot.I("", []int64{2})},
			[]int{3}, []float64{1, 0, 0},
		},
	},
	"GreaterOrEqual": {
		{
			"at least", 16, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.F("", []float32{2})},
			[]int{3}, []float64{0, 1, 1},
		},
	},
	"LessOrEqual": {
		{
			"at most", 16, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, float32(nan)}, 3), ot.F("", []float32{2})},
			[]int{3}, []float64{1, 1, 0},
		},
	},
	"And": {
		{
			"both", 7, nil,
			[]ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)},
			[]int{2}, []float64{1, 0},
		},
	},
	"Or": {
		{
			"either", 7, nil,
			[]ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{0, 0}, 2)},
			[]int{2}, []float64{1, 0},
		},
	},
	"Xor": {
		{
			"exclusive or", 7, nil,
			[]ot.Tensor{bools([]int32{1, 0}, 2), bools([]int32{1, 1}, 2)},
			[]int{2}, []float64{0, 1},
		},
	},
	"Where": {
		{
			"choice", 16, nil,
			[]ot.Tensor{
				bools([]int32{1, 0}, 2), ot.F("", []float32{1, 2}, 2), ot.F("", []float32{9}),
			},
			[]int{2}, []float64{1, 9},
		},
	},
	"BitwiseAnd": {
		{
			"both", 18, nil,
			[]ot.Tensor{ints32([]int32{6, -1}, 2), ints32([]int32{3}, 1)},
			[]int{2}, []float64{2, 3},
		},
	},
	"BitwiseOr": {
		{
			"either", 18, nil,
			[]ot.Tensor{ints32([]int32{6, -8}, 2), ints32([]int32{3}, 1)},
			[]int{2}, []float64{7, -5},
		},
	},
	"BitwiseXor": {
		{
			"one", 18, nil,
			[]ot.Tensor{ints32([]int32{6, -1}, 2), ints32([]int32{3}, 1)},
			[]int{2}, []float64{5, -4},
		},
	},
	"BitShift": {
		{
			"left falls out", 11, attrs(ot.Text("direction", "LEFT")),
			[]ot.Tensor{bytesTensor([]int32{255, 1}, 2), bytesTensor([]int32{1, 3}, 2)},
			[]int{2}, []float64{254, 8},
		},
		{
			"right", 11, attrs(ot.Text("direction", "RIGHT")),
			[]ot.Tensor{bytesTensor([]int32{255, 1}, 2), bytesTensor([]int32{1, 9}, 2)},
			[]int{2}, []float64{127, 0},
		},
	},
	"BitwiseNot": {
		{
			"none", 18, nil,
			[]ot.Tensor{bytesTensor([]int32{0, 254}, 2)},
			[]int{2}, []float64{255, 1},
		},
	},
	"BitCast": {
		{
			"bytes of a float", 26, attrs(ot.Int("to", 6)),
			[]ot.Tensor{ot.F("", []float32{1}, 1)},
			[]int{1}, []float64{0x3f800000},
		},
	},
}
