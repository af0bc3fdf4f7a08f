package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/compute"

// linearTable holds linear layers, convolution, resampling, quantised numbers and pools.
var linearTable = []Row{
	// Linear layers and convolution. Product says which axes a product contracts.
	{
		Name: "Conv", Since: []int{1, 11, 22}, Arity: Arity{2, 3, 1}, Kind: Linear, Axes: convRule,
		Batch: batchPictures, Fact: convFact, Device: "conv", New: compute.NewConv,
	},
	{
		Name: "Gemm", Since: []int{7, 9, 11, 13}, Arity: Arity{2, 3, 1}, Kind: Linear,
		Axes: gemmRule, Batch: batchGemm, Fact: gemmFact, Product: gemmProduct, Device: "gemm",
		New: compute.NewGemm,
	},
	{
		Name: "MatMul", Since: []int{1, 9, 13}, Arity: twoInputs, Kind: Linear, Axes: matMulRule,
		Batch: batchMatMul, Fact: matMulFact, Product: matMulProduct, Device: "matmul",
		New: compute.NewMatMul,
	},
	// An Einsum of one operand may be a sum over instances, which is a pooling.
	{
		Name: "Einsum", Since: []int{12}, Arity: Arity{1, -1, 1}, Kind: Linear, Axes: einsumRule,
		Reduces: compute.Sum, Pools: einsumPools, Product: einsumProductOf, New: compute.NewEinsum,
	},
	// The shape of the result is not inferred.
	{
		Name: "ConvTranspose", Since: []int{1, 11, 22}, Arity: Arity{2, 3, 1}, Kind: Linear,
		Axes: channelRule, Batch: batchPictures, New: compute.NewConvTranspose,
	},
	// Scales may be inputs, so the shape is not inferred.
	{
		Name: "Resize", Since: []int{10, 11, 13, 18, 19}, Arity: Arity{1, 4, 1}, Kind: Resample,
		Axes: resizeRule, New: compute.NewResize,
	},
	{
		Name: "Upsample", Since: []int{7, 9}, Arity: Arity{1, 2, 1}, Kind: Resample,
		Axes: resizeRule, New: compute.NewUpsample,
	},
	{
		Name: "GridSample", Since: []int{16, 20, 22}, Arity: twoInputs, Kind: Resample,
		Axes: gridRule, New: compute.NewGridSample,
	},
	// Quantised numbers. If scales and zero points lie along an axis, a batch would shift it.
	{
		Name: "QuantizeLinear", Since: []int{10, 13, 19, 21, 23, 24, 25}, Arity: Arity{2, 3, 1},
		Kind: Quantize, Axes: scaleAxisRule, New: compute.NewQuantizeLinear,
	},
	{
		Name: "DequantizeLinear", Since: []int{10, 13, 19, 21, 23, 24, 25}, Arity: Arity{2, 3, 1},
		Kind: Quantize, Axes: scaleAxisRule, New: compute.NewDequantizeLinear,
	},
	// The scale depends on the range of all elements, and thereby on all instances.
	{
		Name: "DynamicQuantizeLinear", Since: []int{11}, Arity: Arity{1, 1, 3}, Kind: Quantize,
		Axes: wholeRule, New: compute.NewDynamicQuantizeLinear,
	},
	{
		Name: "MatMulInteger", Since: []int{10}, Arity: Arity{2, 4, 1}, Kind: Linear,
		Axes: wholeRule, New: compute.NewMatMulInteger,
	},
	{
		Name: "QLinearMatMul", Since: []int{10, 21}, Arity: Arity{8, 8, 1}, Kind: Linear,
		Axes: wholeRule, New: compute.NewQLinearMatMul,
	},
	{
		Name: "ConvInteger", Since: []int{10}, Arity: Arity{2, 4, 1}, Kind: Linear,
		Axes: channelRule, Batch: batchPictures, New: compute.NewConvInteger,
	},
	{
		Name: "QLinearConv", Since: []int{10}, Arity: Arity{8, 9, 1}, Kind: Linear,
		Axes: channelRule, Batch: batchPictures, New: compute.NewQLinearConv,
	},
	// Pools over windows, and over all places of each channel. The latter combine instances if
	// these are places of a picture, which Pools states.
	{
		Name: "MaxPool", Since: []int{1, 8, 10, 11, 12, 22}, Arity: Arity{1, 1, 2}, Kind: Pool,
		Axes: poolRule, Batch: batchPictures, Fact: poolFact, Device: "maxpool",
		New: compute.NewMaxPool,
	},
	{
		Name: "AveragePool", Since: []int{7, 10, 11, 19, 22}, Arity: oneInput, Kind: Pool,
		Axes: poolRule, Batch: batchPictures, Fact: poolFact, Device: "averagepool",
		New: compute.NewAveragePool,
	},
	{
		Name: "GlobalAveragePool", Since: []int{1, 22}, Arity: oneInput, Kind: Pool, Axes: poolRule,
		Batch: batchPictures, Fact: poolFact, Reduces: compute.Mean, Pools: placePools,
		Device: "globalpool", New: compute.NewGlobalAveragePool,
	},
	{
		Name: "GlobalMaxPool", Since: []int{1, 22}, Arity: oneInput, Kind: Pool, Axes: poolRule,
		Batch: batchPictures, Fact: poolFact, Reduces: compute.Max, Pools: placePools,
		Device: "globalpool", New: compute.NewGlobalMaxPool,
	},
	{
		Name: "LpPool", Since: []int{2, 11, 18, 22}, Arity: oneInput, Kind: Pool, Axes: poolRule,
		Batch: batchPictures, Fact: poolFact, New: compute.NewLpPool,
	},
	{
		Name: "GlobalLpPool", Since: []int{2, 22}, Arity: oneInput, Kind: Pool, Axes: poolRule,
		Batch: batchPictures, Fact: poolFact, New: compute.NewGlobalLpPool,
	},
}
