package onnxbackend

import ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

func bytesTensor(v []int32, dims ...int) ot.Tensor {
	return ot.Tensor{Type: ot.Uint8, Dims: dims, Ints32: v}
}

func ints32(v []int32, dims ...int) ot.Tensor {
	return ot.Tensor{Type: ot.Int32, Dims: dims, Ints32: v}
}

// one returns a single number.
func one(v float32) ot.Tensor { return ot.F("", []float32{v}) }

var (
	pair  = ot.F("", []float32{1, 2}, 1, 1, 2)
	tens  = ot.F("", []float32{1, 10, 100}, 1, 1, 3)
	two   = ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2)
	ramp4 = ot.F("", []float32{1, 2, 3, 4}, 1, 1, 2, 2)
)

// breadthCases are those of operators that few models hold.
var breadthCases = []operatorCase{
	// pictures
	{"one stride", 22, op("ConvTranspose"), []ot.Tensor{pair, tens}, []int{1, 1, 4}, []float64{1, 12, 120, 200}},
	{"two strides", 11, op("ConvTranspose", ot.Ints("strides", 2)), []ot.Tensor{pair, tens, ot.F("", []float32{.5}, 1)}, []int{1, 1, 5}, []float64{1.5, 10.5, 102.5, 20.5, 200.5}},
	{"padding cuts", 11, op("ConvTranspose", ot.Ints("strides", 2), ot.Ints("pads", 1, 1)), []ot.Tensor{pair, tens}, []int{1, 1, 3}, []float64{10, 102, 20}},
	{"more at the end", 11, op("ConvTranspose", ot.Ints("strides", 2), ot.Ints("output_padding", 1)), []ot.Tensor{pair, tens}, []int{1, 1, 6}, []float64{1, 10, 102, 20, 200, 0}},
	{"groups", 11, op("ConvTranspose", ot.Int("group", 2)), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 2, 1), ot.F("", []float32{3, 4, 5, 6}, 2, 2, 1)}, []int{1, 4, 1}, []float64{3, 4, 10, 12}},
	{"doubles", 11, op("ConvTranspose"), []ot.Tensor{{Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 2}}, {Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 10}}}, []int{1, 1, 3}, []float64{1, 12, 20}},
	{"doubles", 11, op("Conv"), []ot.Tensor{{Type: ot.Float64, Dims: []int{1, 1, 3}, Doubles: []float64{1, 2, 3}}, {Type: ot.Float64, Dims: []int{1, 1, 2}, Doubles: []float64{1, 10}}, {Type: ot.Float64, Dims: []int{1}, Doubles: []float64{.5}}}, []int{1, 1, 2}, []float64{21.5, 32.5}},
	{"nearest", 19, op("Resize"), []ot.Tensor{pair, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))}, []int{1, 1, 4}, []float64{1, 1, 2, 2}},
	{"linear", 13, op("Resize", ot.Text("mode", "linear")), []ot.Tensor{pair, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))}, []int{1, 1, 4}, []float64{1, 1.25, 1.75, 2}},
	{"corners", 11, op("Resize", ot.Text("mode", "linear"), ot.Text("coordinate_transformation_mode", "align_corners")), []ot.Tensor{pair, ot.F("", nil, 0), ot.F("", nil, 0), ot.I("", []int64{1, 1, 3}, 3)}, []int{1, 1, 3}, []float64{1, 1.5, 2}},
	{"opset 10 takes the place before", 10, op("Resize"), []ot.Tensor{pair, ot.F("", []float32{1, 1, 1.5}, 3)}, []int{1, 1, 3}, []float64{1, 1, 2}},
	{"some axes", 18, op("Resize", ot.Ints("axes", 2)), []ot.Tensor{pair, omitted, ot.F("", []float32{2}, 1)}, []int{1, 1, 4}, []float64{1, 1, 2, 2}},
	{"bytes", 13, op("Resize", ot.Text("mode", "linear")), []ot.Tensor{bytesTensor([]int32{10, 20}, 1, 1, 2), omitted, ot.F("", []float32{1, 1, 2}, 3)}, []int{1, 1, 4}, []float64{10, 12, 17, 20}},
	{"scales", 9, op("Upsample"), []ot.Tensor{pair, constant(ot.F("", []float32{1, 1, 2}, 3))}, []int{1, 1, 4}, []float64{1, 1, 2, 2}},
	{"between and beyond", 20, op("GridSample"), []ot.Tensor{ot.F("", []float32{1, 3}, 1, 1, 1, 2), ot.F("", []float32{-1, 0, 0, 0, .5, 0}, 1, 1, 3, 2)}, []int{1, 1, 1, 3}, []float64{.5, 2, 3}},
	{"border", 16, op("GridSample", ot.Text("mode", "bilinear"), ot.Text("padding_mode", "border")), []ot.Tensor{ot.F("", []float32{1, 3}, 1, 1, 1, 2), ot.F("", []float32{-1, 0, 0, 0, 9, 9}, 1, 1, 3, 2)}, []int{1, 1, 1, 3}, []float64{1, 2, 3}},
	{"blocks from channels", 13, op("DepthToSpace", ot.Int("blocksize", 2)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 4, 1, 1)}, []int{1, 1, 2, 2}, []float64{1, 2, 3, 4}},
	{"channels from blocks", 13, op("SpaceToDepth", ot.Int("blocksize", 2)), []ot.Tensor{ramp4}, []int{1, 4, 1, 1}, []float64{1, 2, 3, 4}},
	{"root of squares", 18, op("LpPool", ot.Ints("kernel_shape", 2)), []ot.Tensor{ot.F("", []float32{3, -4, 0}, 1, 1, 3)}, []int{1, 1, 2}, []float64{5, 4}},
	{"sum", 22, op("GlobalLpPool", ot.Int("p", 1)), []ot.Tensor{ot.F("", []float32{3, -4, 0}, 1, 1, 3)}, []int{1, 1, 1}, []float64{7}},
	// two pictures, which may be instances
	{"two", 11, op("ConvTranspose"), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2), tens}, []int{2, 1, 4}, []float64{1, 12, 120, 200, 3, 34, 340, 400}},
	{"two", 19, op("Resize"), []ot.Tensor{two, omitted, constant(ot.F("", []float32{1, 1, 2}, 3))}, []int{2, 1, 4}, []float64{1, 1, 2, 2, 3, 3, 4, 4}},
	{"two by an axis", 19, op("Resize", ot.Ints("axes", -1), ot.Text("mode", "linear")), []ot.Tensor{two, omitted, constant(ot.F("", []float32{2}, 1))}, []int{2, 1, 4}, []float64{1, 1.25, 1.75, 2, 3, 3.25, 3.75, 4}},
	{"two mixed", 19, op("Resize"), []ot.Tensor{two, omitted, constant(ot.F("", []float32{2, 1, 1}, 3))}, []int{4, 1, 2}, []float64{1, 2, 1, 2, 3, 4, 3, 4}},
	{"two with nothing to do", 19, op("Resize", ot.Ints("axes", 0)), []ot.Tensor{two, omitted, constant(ot.F("", []float32{1}, 1))}, []int{2, 1, 2}, []float64{1, 2, 3, 4}},
	{"two", 9, op("Upsample"), []ot.Tensor{two, constant(ot.F("", []float32{1, 1, 2}, 3))}, []int{2, 1, 4}, []float64{1, 1, 2, 2, 3, 3, 4, 4}},
	{"two", 20, op("GridSample"), []ot.Tensor{ot.F("", []float32{1, 3, 5, 7}, 2, 1, 1, 2), ot.F("", []float32{0, 0, .5, 0, .5, 0, 0, 0}, 2, 1, 2, 2)}, []int{2, 1, 1, 2}, []float64{2, 3, 7, 6}},
	{"two", 13, op("DepthToSpace", ot.Int("blocksize", 2)), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4, 1, 1)}, []int{2, 1, 2, 2}, []float64{1, 2, 3, 4, 5, 6, 7, 8}},
	{"two", 18, op("LpPool", ot.Ints("kernel_shape", 2), ot.Int("p", 1)), []ot.Tensor{two}, []int{2, 1, 1}, []float64{3, 7}},
	{"two", 13, op("LRN", ot.Int("size", 1), ot.Float("alpha", 1), ot.Float("beta", 1)), []ot.Tensor{two}, []int{2, 1, 2}, []float64{.5, .4, .3, 4. / 17}},
	{"two", 10, op("QLinearConv"), []ot.Tensor{bytesTensor([]int32{2, 3, 4, 5}, 2, 1, 2), one(.5), bytesTensor([]int32{1}), bytesTensor([]int32{1, 2}, 1, 1, 2), one(2), bytesTensor([]int32{0}), one(1), bytesTensor([]int32{3})}, []int{2, 1, 1}, []float64{8, 14}},
	{"two", 13, op("DequantizeLinear", ot.Int("axis", 2)), []ot.Tensor{bytesTensor([]int32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{1, 10}, 2)}, []int{2, 1, 2}, []float64{1, 20, 3, 40}},
	{"two", 13, op("Einsum", ot.Text("equation", "bi,ij->bj")), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 2), ot.F("", []float32{1, 0, 1, 1}, 2, 2)}, []int{2, 2}, []float64{3, 2, 7, 4}},
	// quantised numbers
	{"ties, zero point and range", 13, op("QuantizeLinear"), []ot.Tensor{ot.F("", []float32{-1, .25, .75, 300}, 4), one(.5), bytesTensor([]int32{128})}, []int{4}, []float64{126, 128, 130, 255}},
	{"scale of each column", 13, op("QuantizeLinear"), []ot.Tensor{grid, ot.F("", []float32{1, 2, 3}, 3)}, []int{2, 3}, []float64{1, 1, 1, 4, 2, 2}},
	{"scale of blocks", 21, op("QuantizeLinear", ot.Int("block_size", 2)), []ot.Tensor{grid, ot.F("", []float32{1, 3, 2, 3}, 2, 2)}, []int{2, 3}, []float64{1, 2, 1, 2, 2, 2}},
	{"four bits", 21, op("QuantizeLinear", ot.Int("output_dtype", 22)), []ot.Tensor{ot.F("", []float32{-99, -3, 99}, 3), one(1)}, []int{3}, []float64{-8, -3, 7}},
	{"back", 13, op("DequantizeLinear"), []ot.Tensor{bytesTensor([]int32{126, 129}, 2), one(.5), bytesTensor([]int32{128})}, []int{2}, []float64{-1, .5}},
	{"of the range", 11, op("DynamicQuantizeLinear"), []ot.Tensor{ot.F("", []float32{-255, 0, -100}, 3)}, []int{3}, []float64{0, 255, 155}},
	{"without zero points", 10, op("MatMulInteger"), []ot.Tensor{bytesTensor([]int32{3, 4}, 1, 2), bytesTensor([]int32{5, 6}, 2, 1), bytesTensor([]int32{1}), bytesTensor([]int32{2})}, []int{1, 1}, []float64{18}},
	{"zero point of each row and column", 10, op("MatMulInteger"), []ot.Tensor{bytesTensor([]int32{3, 4}, 2, 1), bytesTensor([]int32{5, 6}, 1, 2), bytesTensor([]int32{1, 2}, 2), bytesTensor([]int32{3, 5}, 2)}, []int{2, 2}, []float64{4, 2, 4, 2}},
	{"scaled", 21, op("QLinearMatMul"), []ot.Tensor{bytesTensor([]int32{3, 4}, 1, 2), one(.5), bytesTensor([]int32{1}), bytesTensor([]int32{5, 6}, 2, 1), one(2), bytesTensor([]int32{2}), one(3), bytesTensor([]int32{10})}, []int{1, 1}, []float64{16}},
	{"without a zero point", 10, op("ConvInteger"), []ot.Tensor{bytesTensor([]int32{2, 3, 4}, 1, 1, 3), bytesTensor([]int32{1, 2}, 1, 1, 2), bytesTensor([]int32{1})}, []int{1, 1, 2}, []float64{5, 8}},
	{"scaled", 10, op("QLinearConv"), []ot.Tensor{bytesTensor([]int32{2, 3, 4}, 1, 1, 3), one(.5), bytesTensor([]int32{1}), bytesTensor([]int32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{2, 4}, 2), bytesTensor([]int32{0, 0}, 2), one(1), bytesTensor([]int32{3}), ints32([]int32{1, 100}, 2)}, []int{1, 2, 2}, []float64{9, 12, 225, 239}},
	// bits
	{"both", 18, op("BitwiseAnd"), []ot.Tensor{ints32([]int32{6, -1}, 2), ints32([]int32{3}, 1)}, []int{2}, []float64{2, 3}},
	{"either", 18, op("BitwiseOr"), []ot.Tensor{ints32([]int32{6, -8}, 2), ints32([]int32{3}, 1)}, []int{2}, []float64{7, -5}},
	{"one", 18, op("BitwiseXor"), []ot.Tensor{ints32([]int32{6, -1}, 2), ints32([]int32{3}, 1)}, []int{2}, []float64{5, -4}},
	{"none", 18, op("BitwiseNot"), []ot.Tensor{bytesTensor([]int32{0, 254}, 2)}, []int{2}, []float64{255, 1}},
	{"left falls out", 11, op("BitShift", ot.Text("direction", "LEFT")), []ot.Tensor{bytesTensor([]int32{255, 1}, 2), bytesTensor([]int32{1, 3}, 2)}, []int{2}, []float64{254, 8}},
	{"right", 11, op("BitShift", ot.Text("direction", "RIGHT")), []ot.Tensor{bytesTensor([]int32{255, 1}, 2), bytesTensor([]int32{1, 9}, 2)}, []int{2}, []float64{127, 0}},
	{"bytes of a float", 26, op("BitCast", ot.Int("to", 6)), []ot.Tensor{ot.F("", []float32{1}, 1)}, []int{1}, []float64{0x3f800000}},
	// along an axis
	{"first of the largest", 13, op("Hardmax"), []ot.Tensor{ot.F("", []float32{1, 3, 3, 2, 1, 0}, 2, 3)}, []int{2, 3}, []float64{0, 1, 0, 1, 0, 0}},
	{"rows", 26, op("CumProd"), []ot.Tensor{grid, ot.I("", []int64{1})}, []int{2, 3}, []float64{1, 2, 6, 4, 20, 120}},
	{"backwards, without itself", 26, op("CumProd", ot.Int("reverse", 1), ot.Int("exclusive", 1)), []ot.Tensor{grid, ot.I("", []int64{1})}, []int{2, 3}, []float64{6, 3, 1, 30, 6, 1}},
	{"two lengths", 10, op("ReverseSequence", ot.Int("batch_axis", 0), ot.Int("time_axis", 1)), []ot.Tensor{grid, ot.I("", []int64{2, 3}, 2)}, []int{2, 3}, []float64{2, 1, 3, 6, 5, 4}},
	{"length one", 22, op("LpNormalization"), []ot.Tensor{ot.F("", []float32{3, -4, 0, 0}, 2, 2)}, []int{2, 2}, []float64{.6, -.8, 0, 0}},
	{"sum one", 22, op("LpNormalization", ot.Int("p", 1), ot.Int("axis", 0)), []ot.Tensor{ot.F("", []float32{3, 4, 1, 0}, 2, 2)}, []int{2, 2}, []float64{.75, 1, .25, 0}},
	{"neighbours", 13, op("LRN", ot.Int("size", 3), ot.Float("alpha", 3), ot.Float("beta", 1)), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 1, 3, 1)}, []int{1, 3, 1}, []float64{1. / 6, 2. / 15, 3. / 14}},
	{"rows", 13, op("MeanVarianceNormalization", ot.Ints("axes", 1)), []ot.Tensor{ot.F("", []float32{1, 3, 5, 9}, 2, 2)}, []int{2, 2}, []float64{-1, 1, -1, 1}},
	// attention
	{"equal keys", 23, op("Attention"), []ot.Tensor{ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1), ot.F("", []float32{1, 3}, 1, 1, 2, 1)}, []int{1, 1, 1, 1}, []float64{2}},
	{"a key shut", 23, op("Attention"), []ot.Tensor{ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1), ot.F("", []float32{1, 3}, 1, 1, 2, 1), bools([]int32{0, 1}, 1, 2)}, []int{1, 1, 1, 1}, []float64{3}},
	{"all keys shut", 23, op("Attention"), []ot.Tensor{ot.F("", []float32{0}, 1, 1, 1, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1), ot.F("", []float32{1, 3}, 1, 1, 2, 1), bools([]int32{0, 0}, 1, 2)}, []int{1, 1, 1, 1}, []float64{0}},
	{"causal", 23, op("Attention", ot.Int("is_causal", 1), ot.Int("q_num_heads", 1), ot.Int("kv_num_heads", 1)), []ot.Tensor{ot.F("", []float32{0, 0}, 1, 2, 1), ot.F("", []float32{0, 0}, 1, 2, 1), ot.F("", []float32{1, 3}, 1, 2, 1)}, []int{1, 2, 1}, []float64{1, 2}},
	{"window", 25, op("Attention", ot.Int("left_window_size", 0)), []ot.Tensor{ot.F("", []float32{0, 0}, 1, 1, 2, 1), ot.F("", []float32{0, 0}, 1, 1, 2, 1), ot.F("", []float32{1, 3}, 1, 1, 2, 1)}, []int{1, 1, 2, 1}, []float64{2, 3}},
	{"quarter turn", 23, op("RotaryEmbedding"), []ot.Tensor{ot.F("", []float32{1, 2}, 1, 1, 1, 2), ot.F("", []float32{0}, 1, 1, 1), ot.F("", []float32{1}, 1, 1, 1)}, []int{1, 1, 1, 2}, []float64{-2, 1}},
	// choosing
	{"columns", 11, op("Compress", ot.Int("axis", 1)), []ot.Tensor{grid, bools([]int32{1, 0, 1}, 3)}, []int{2, 2}, []float64{1, 3, 4, 6}},
	{"elements", 11, op("Compress"), []ot.Tensor{grid, bools([]int32{0, 1, 1}, 3)}, []int{2}, []float64{2, 3}},
	{"sorted", 11, op("Unique"), []ot.Tensor{ot.I("", []int64{2, -1, -1, 3}, 4)}, []int{3}, []float64{-1, 2, 3}},
	{"as they come", 11, op("Unique", ot.Int("sorted", 0)), []ot.Tensor{ot.F("", []float32{2, 1, 1, 3}, 4)}, []int{3}, []float64{2, 1, 3}},
	{"rows", 11, op("Unique", ot.Int("axis", 0)), []ot.Tensor{ot.F("", []float32{2, 1, 0, 5, 2, 1}, 3, 2)}, []int{2, 2}, []float64{0, 5, 2, 1}},
	{"replaced", 9, op("Scatter"), []ot.Tensor{ot.F("", []float32{1, 2, 3}, 3), ot.I("", []int64{1}, 1), ot.F("", []float32{9}, 1)}, []int{3}, []float64{1, 9, 3}},
	{"places of batches", 12, op("GatherND", ot.Int("batch_dims", 1)), []ot.Tensor{grid, ot.I("", []int64{2, 0}, 2, 1)}, []int{2}, []float64{3, 4}},
	// sums over labels
	{"ellipsis", 12, op("Einsum", ot.Text("equation", "...ij,jk->...ik")), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 2, 1, 2), ot.F("", []float32{1, 0, 1, 1}, 2, 2)}, []int{2, 1, 2}, []float64{3, 2, 7, 4}},
	{"diagonals", 12, op("Einsum", ot.Text("equation", "...ii->...i")), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2)}, []int{2, 2}, []float64{1, 4, 5, 8}},
	{"a repeated place", 12, op("Einsum", ot.Text("equation", "ij,ij->ij")), []ot.Tensor{grid, ot.F("", []float32{1, 2, 3}, 1, 3)}, []int{2, 3}, []float64{1, 4, 9, 4, 10, 18}},
	{"heads", 12, op("Einsum", ot.Text("equation", "qhd,khd->hqk")), []ot.Tensor{ot.F("", []float32{1, 2, 3, 4}, 1, 2, 2), ot.F("", []float32{1, 0, 0, 1, 1, 1, 2, 2}, 2, 2, 2)}, []int{2, 1, 2}, []float64{1, 3, 4, 14}},
	{"turned result", 12, op("Einsum", ot.Text("equation", "ij,jk->ki")), []ot.Tensor{ints32([]int32{1, 2, 3, 4, 5, 6}, 2, 3), ints32([]int32{1, 1, 1, 0, 1, 0}, 3, 2)}, []int{2, 2}, []float64{6, 15, 1, 4}},
}
