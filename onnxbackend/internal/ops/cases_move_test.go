package ops_test

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// moveCases has the cases of the rows in ops/table_move.go.
var moveCases = map[string][]operatorCase{
	"Concat": {
		{
			"join columns", 13, attrs(ot.Int("axis", -1)),
			[]ot.Tensor{grid, ot.F("", []float32{7, 8}, 2, 1)},
			[]int{2, 4}, []float64{1, 2, 3, 7, 4, 5, 6, 8},
		},
	},
	"Split": {
		{
			"split 2 in equal parts", 11, attrs(ot.Int("axis", 1), ot.Ints("split", 3)),
			[]ot.Tensor{grid},
			[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6},
		},
	},
	"Slice": {
		{
			"slice 9", 9, attrs(ot.Ints("starts", 0, 1), ot.Ints("ends", 1, 1000)),
			[]ot.Tensor{grid},
			[]int{1, 2}, []float64{2, 3},
		},
		{
			"slice 10 backwards", 10, nil,
			[]ot.Tensor{
				grid, ot.I("", []int64{-1}, 1), ot.I("", []int64{math.MinInt64}, 1),
				ot.I("", []int64{1}, 1), ot.I("", []int64{-2}, 1),
			},
			[]int{2, 2}, []float64{3, 1, 6, 4},
		},
		{
			"slice backwards from before the first", 13, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{-5}, 1),
				ot.I("", []int64{-9}, 1), ot.I("", []int64{0}, 1), ot.I("", []int64{-1}, 1),
			},
			[]int{1}, []float64{1},
		},
		{
			"slice an empty dimension backwards", 13, nil,
			[]ot.Tensor{
				ot.F("", nil, 0), ot.I("", []int64{-1}, 1), ot.I("", []int64{-9}, 1),
				ot.I("", []int64{0}, 1), ot.I("", []int64{-1}, 1),
			},
			[]int{0}, []float64{},
		},
		{
			"slice of nothing", 13, nil,
			[]ot.Tensor{grid, ot.I("", []int64{2}, 1), ot.I("", []int64{1}, 1)},
			[]int{0, 3}, []float64{},
		},
	},
	"Gather": {
		{
			"gather with negative indices", 13, attrs(ot.Int("axis", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{-1, 0}, 2)},
			[]int{2, 2}, []float64{3, 1, 6, 4},
		},
		{
			"gather a scalar", 13, nil,
			[]ot.Tensor{grid, ot.I("", []int64{1})},
			[]int{3}, []float64{4, 5, 6},
		},
	},
	"GatherElements": {
		{
			"gather elements", 13, attrs(ot.Int("axis", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{2, 0, -1, 1}, 2, 2)},
			[]int{2, 2}, []float64{3, 1, 6, 5},
		},
	},
	"GatherND": {
		{
			"gather tuples", 13, nil,
			[]ot.Tensor{grid, ot.I("", []int64{0, 1, -1, 2}, 2, 2)},
			[]int{2}, []float64{2, 6},
		},
		{
			"places of batches", 12, attrs(ot.Int("batch_dims", 1)),
			[]ot.Tensor{grid, ot.I("", []int64{2, 0}, 2, 1)},
			[]int{2}, []float64{3, 4},
		},
	},
	"Compress": {
		{
			"columns", 11, attrs(ot.Int("axis", 1)),
			[]ot.Tensor{grid, bools([]int32{1, 0, 1}, 3)},
			[]int{2, 2}, []float64{1, 3, 4, 6},
		},
		{
			"elements", 11, nil,
			[]ot.Tensor{grid, bools([]int32{0, 1, 1}, 3)},
			[]int{2}, []float64{2, 3},
		},
	},
	"Unique": {
		{
			"sorted", 11, nil,
			[]ot.Tensor{ot.I("", []int64{2, -1, -1, 3}, 4)},
			[]int{3}, []float64{-1, 2, 3},
		},
		{
			"as they come", 11, attrs(ot.Int("sorted", 0)),
			[]ot.Tensor{ot.F("", []float32{2, 1, 1, 3}, 4)},
			[]int{3}, []float64{2, 1, 3},
		},
		{
			"rows", 11, attrs(ot.Int("axis", 0)),
			[]ot.Tensor{ot.F("", []float32{2, 1, 0, 5, 2, 1}, 3, 2)},
			[]int{2, 2}, []float64{0, 5, 2, 1},
		},
	},
	"Scatter": {
		{
			"replaced", 9, nil,
			[]ot.Tensor{
				ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{1}, 1),
				ot.F("", []float32{9}, 1),
			},
			[]int{3}, []float64{1, 9, 3},
		},
	},
	"ScatterElements": {
		{
			"scatter and add", 18, attrs(ot.Int("axis", 1), ot.Text("reduction", "add")),
			[]ot.Tensor{
				grid, ot.I("", []int64{0, 0, 2, -1}, 2, 2), ot.F("", []float32{1, 1, 5, 7}, 2, 2),
			},
			[]int{2, 3}, []float64{3, 2, 3, 4, 5, 18},
		},
	},
	"ScatterND": {
		{
			"scatter rows", 16, nil,
			[]ot.Tensor{grid, ot.I("", []int64{1}, 1, 1), ot.F("", []float32{7, 8, 9}, 1, 3)},
			[]int{2, 3}, []float64{1, 2, 3, 7, 8, 9},
		},
	},
	"OneHot": {
		{
			"one hot", 13, attrs(ot.Int("axis", 0)),
			[]ot.Tensor{
				ot.I("", []int64{1, -1}, 2), ot.I("", []int64{3}), ot.F("", []float32{0, 5}, 2),
			},
			[]int{3, 2}, []float64{0, 0, 5, 0, 0, 5},
		},
	},
	"NonZero": {
		{
			"places", 13, nil,
			[]ot.Tensor{ot.F("", []float32{0, 1, 2, 0}, 2, 2)},
			[]int{2, 2}, []float64{0, 1, 1, 0},
		},
	},
	"Transpose": {
		{
			"axes in place", 13, attrs(ot.Ints("perm", 0, 1)), []ot.Tensor{grid}, []int{2, 3},
			[]float64{1, 2, 3, 4, 5, 6},
		},
		{"reversed axes", 13, nil, []ot.Tensor{grid}, []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}},
		{
			"three axes", 13, attrs(ot.Ints("perm", 1, 2, 0)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2)},
			[]int{1, 2, 2}, []float64{1, 3, 2, 4},
		},
	},
	"Expand": {
		{
			"expand both ways", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2}, 2, 1), ot.I("", []int64{2, 1, 2}, 3)},
			[]int{2, 2, 2}, []float64{1, 1, 2, 2, 1, 1, 2, 2},
		},
	},
	"Tile": {
		{
			"tile", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2}, 1, 2), ot.I("", []int64{2, 2}, 2)},
			[]int{2, 4}, []float64{1, 2, 1, 2, 1, 2, 1, 2},
		},
	},
	"Pad": {
		{
			"pad 10", 10, attrs(ot.Ints("pads", 1, 0, 0, 1), ot.Float("value", 9)),
			[]ot.Tensor{ot.F("", []float32{1, 2}, 1, 2)},
			[]int{2, 3}, []float64{9, 9, 9, 1, 2, 9},
		},
		{
			"pad 11 reflects", 11, attrs(ot.Text("mode", "reflect")),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{2, 1}, 2)},
			[]int{6}, []float64{3, 2, 1, 2, 3, 2},
		},
		{
			"pad cuts with negative pads", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{-1, 1}, 2)},
			[]int{3}, []float64{2, 3, 0},
		},
	},
	"DepthToSpace": {
		{
			"blocks from channels", 13, attrs(ot.Int("blocksize", 2)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 4, 1, 1)},
			[]int{1, 1, 2, 2}, []float64{1, 2, 3, 4},
		},
		{
			"two", 13, attrs(ot.Int("blocksize", 2)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4, 1, 1)},
			[]int{2, 1, 2, 2}, []float64{1, 2, 3, 4, 5, 6, 7, 8},
		},
	},
	"SpaceToDepth": {
		{
			"channels from blocks", 13, attrs(ot.Int("blocksize", 2)),
			[]ot.Tensor{ramp4},
			[]int{1, 4, 1, 1}, []float64{1, 2, 3, 4},
		},
	},
	"Trilu": {
		{
			"lower triangle", 14, attrs(ot.Int("upper", 0)),
			[]ot.Tensor{grid, ot.I("", []int64{1})},
			[]int{2, 3}, []float64{1, 2, 0, 4, 5, 6},
		},
	},
	"Reshape": {
		{
			"reshape copies and infers", 13, nil,
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2, 1), ot.I("", []int64{0, -1}, 2)},
			[]int{2, 2}, []float64{1, 2, 3, 4},
		},
	},
	"Flatten": {
		{
			"flatten", 13, attrs(ot.Int("axis", -1)),
			[]ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2)},
			[]int{2, 2}, []float64{1, 2, 3, 4},
		},
	},
	"Squeeze": {
		{
			"squeeze 12", 12, attrs(ot.Ints("axes", 0)),
			[]ot.Tensor{ot.F("", []float32{7}, 1, 1)},
			[]int{1}, []float64{7},
		},
		{
			"squeeze 13", 13, nil,
			[]ot.Tensor{ot.F("", []float32{7}, 1, 1), ot.I("", []int64{1}, 1)},
			[]int{1}, []float64{7},
		},
		{
			"squeeze all", 13, nil,
			[]ot.Tensor{ot.F("", []float32{7, 8}, 1, 2, 1)},
			[]int{2}, []float64{7, 8},
		},
	},
	"Unsqueeze": {
		{
			"unsqueeze 12", 12, attrs(ot.Ints("axes", 0, 2)),
			[]ot.Tensor{ot.F("", []float32{7, 8}, 2)},
			[]int{1, 2, 1}, []float64{7, 8},
		},
		{
			"unsqueeze 13", 13, nil,
			[]ot.Tensor{ot.F("", []float32{7, 8}, 2), ot.I("", []int64{-1}, 1)},
			[]int{2, 1}, []float64{7, 8},
		},
	},
	"If": {
		{
			"first branch", 13,
			attrs(ot.Body("then_branch", enginetest.BranchOf(1)),
				ot.Body("else_branch", enginetest.BranchOf(2, 3))),
			[]ot.Tensor{bools([]int32{1})},
			[]int{1}, []float64{1},
		},
		{
			"other branch", 13,
			attrs(ot.Body("then_branch", enginetest.BranchOf(1)),
				ot.Body("else_branch", enginetest.BranchOf(2, 3))),
			[]ot.Tensor{bools([]int32{0}, 1)},
			[]int{2}, []float64{2, 3},
		},
	},
	"Shape": {
		{
			"part of a shape", 15, attrs(ot.Int("start", -1)),
			[]ot.Tensor{grid},
			[]int{1}, []float64{3},
		},
	},
	"Size": {
		{"size", 13, nil, []ot.Tensor{grid}, []int{}, []float64{6}},
	},
	"Range": {
		{
			"range downwards", 13, nil,
			[]ot.Tensor{ot.I("", []int64{5}), ot.I("", []int64{0}), ot.I("", []int64{-2})},
			[]int{3}, []float64{5, 3, 1},
		},
	},
	"ConstantOfShape": {
		{
			"constant of a shape", 13, attrs(ot.Dense("value", ot.I("", []int64{7}, 1))),
			[]ot.Tensor{ot.I("", []int64{2}, 1)},
			[]int{2}, []float64{7, 7},
		},
	},
	"Constant": {
		{
			"real numbers in a constant", 12, attrs(ot.Floats("value_floats", 1, 2)),
			nil,
			[]int{2}, []float64{1, 2},
		},
		{"a number in a constant", 12, attrs(ot.Int("value_int", 3)), nil, []int{}, []float64{3}},
		{
			"tensor in a constant", 9, attrs(ot.Dense("value", grid)),
			nil,
			[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6},
		},
	},
	"HannWindow": {
		{
			"periodic", 17, nil, []ot.Tensor{ot.I("", []int64{4})},
			[]int{4}, []float64{0, .5, 1, .5},
		},
		{
			"symmetric, as integers", 17, attrs(ot.Int("periodic", 0),
				ot.Int("output_datatype", ot.Int32)), []ot.Tensor{ot.I("", []int64{3})},
			[]int{3}, []float64{0, 1, 0},
		},
		{"one place", 17, attrs(ot.Int("periodic", 0)), []ot.Tensor{ot.I("", []int64{1})},
			[]int{1}, []float64{0}},
	},
	"HammingWindow": {
		{
			"symmetric", 17, attrs(ot.Int("periodic", 0)), []ot.Tensor{ot.I("", []int64{3})},
			[]int{3}, []float64{4. / 46, 1, 4. / 46},
		},
	},
	"BlackmanWindow": {
		{
			"periodic", 17, nil, []ot.Tensor{ot.I("", []int64{4})},
			[]int{4}, []float64{0, .34, 1, .34},
		},
	},
	"EyeLike": {
		{
			"diagonal", 13, attrs(ot.Int("k", 1)),
			[]ot.Tensor{grid},
			[]int{2, 3}, []float64{0, 1, 0, 0, 0, 1},
		},
	},
}
