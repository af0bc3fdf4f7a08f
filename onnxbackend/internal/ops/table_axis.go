package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/compute"

// axisTable holds operators along an axis, normalisation, attention and recurrent layers.
var axisTable = []Row{
	// Functions along one axis. Before version 13, Softmax and its relatives flatten all dimensions
	// from the axis on.
	{
		Name: "Softmax", Since: []int{1, 11, 13}, Arity: oneInput, Kind: AlongAxis,
		Axes: alongRule(softmaxMixes), Batch: batchSoftmax, Fact: sameFact, Pools: softmaxPools,
		Device: "softmax", New: compute.NewSoftmax,
	},
	{
		Name: "LogSoftmax", Since: []int{1, 11, 13}, Arity: oneInput, Kind: AlongAxis,
		Axes: alongRule(softmaxMixes), Batch: batchSoftmax, Fact: sameFact,
		New: compute.NewLogSoftmax,
	},
	{
		Name: "Hardmax", Since: []int{1, 11, 13}, Arity: oneInput, Kind: AlongAxis,
		Axes: alongRule(softmaxMixes), Batch: batchSoftmax, Fact: sameFact, New: compute.NewHardmax,
	},
	// Reductions read axes from an attribute, and from input 1 since version 18, ReduceSum
	// since version 13. Row.Reduces says what they compute; the kind supplies all else.
	{
		Name: "ReduceMax", Since: []int{1, 11, 12, 13, 18, 20}, Arity: Arity{1, 2, 1},
		Kind: Reduce, Reduces: compute.Max, Device: "reduce",
	},
	{
		Name: "ReduceMin", Since: []int{1, 11, 12, 13, 18, 20}, Arity: Arity{1, 2, 1},
		Kind: Reduce, Reduces: compute.Min, Device: "reduce",
	},
	{
		Name: "ReduceMean", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.Mean, Device: "reduce",
	},
	{
		Name: "ReduceSum", Since: []int{1, 11, 13}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.Sum, Device: "reduce",
	},
	{
		Name: "ReduceProd", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.Prod, Device: "reduce",
	},
	{
		Name: "ReduceL1", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.L1, Device: "reduce",
	},
	{
		Name: "ReduceL2", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.L2, Device: "reduce",
	},
	{
		Name: "ReduceLogSum", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.LogSum,
	},
	{
		Name: "ReduceLogSumExp", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.LogSumExp, Device: "reduce",
	},
	{
		Name: "ReduceSumSquare", Since: []int{1, 11, 13, 18}, Arity: Arity{1, 2, 1}, Kind: Reduce,
		Reduces: compute.SumSquare, Device: "reduce",
	},
	{
		Name: "ArgMax", Since: []int{1, 11, 12, 13}, Arity: oneInput, Kind: AlongAxis,
		Axes: alongRule(attributeAxis(0)), Batch: batchAxis(0), New: compute.NewArgMax,
	},
	{
		Name: "ArgMin", Since: []int{1, 11, 12, 13}, Arity: oneInput, Kind: AlongAxis,
		Axes: alongRule(attributeAxis(0)), Batch: batchAxis(0), New: compute.NewArgMin,
	},
	// TopK selects instances, which masked pooling can do within each coalition.
	{
		Name: "TopK", Since: []int{1, 10, 11, 24}, Arity: Arity{1, 2, 2}, Kind: AlongAxis,
		Axes: alongRule(attributeAxis(-1)), Batch: batchAxis(-1), Pools: topKPools,
		New: compute.NewTopK,
	},
	// The axis of CumSum and CumProd is an input, so their rule reads a constant.
	{
		Name: "CumSum", Since: []int{11, 14}, Arity: twoInputs, Kind: AlongAxis, Axes: cumSumRule,
		Batch: batchAxisInput, Fact: sameFact, New: compute.NewCumSum,
	},
	{
		Name: "CumProd", Since: []int{26}, Arity: twoInputs, Kind: AlongAxis, Axes: cumSumRule,
		Batch: batchAxisInput, Fact: sameFact, New: compute.NewCumProd,
	},
	// Fourier transforms of signals whose last axis has real and imaginary parts.
	{
		Name: "DFT", Since: []int{17, 20}, Arity: Arity{1, 3, 1}, Kind: AlongAxis, Axes: dftRule,
		Batch: batchDFT, New: compute.NewDFT,
	},
	{
		Name: "STFT", Since: []int{17}, Arity: Arity{2, 4, 1}, Kind: AlongAxis,
		Axes: alongRule(stftMixes), Batch: batchPictures, New: compute.NewSTFT,
	},
	// The order of instances affects the result, so it depends on the whole bag.
	{
		Name: "ReverseSequence", Since: []int{10}, Arity: twoInputs, Kind: AlongAxis,
		Axes: wholeRule, Fact: sameFact, New: compute.NewReverseSequence,
	},
	// Normalisations. Scale and bias are inputs. If the channels are dimension 1, each picture is
	// normalised on its own.
	{
		Name: "BatchNormalization", Since: []int{7, 9, 14, 15}, Arity: Arity{5, 5, 5},
		Kind: Normalize, Axes: batchNormRule, Batch: batchPictures, Fact: sameFact,
		Device: "batchnorm", New: compute.NewBatchNormalization,
	},
	{
		Name: "InstanceNormalization", Since: []int{6, 22}, Arity: Arity{3, 3, 1}, Kind: Normalize,
		Axes: channelRule, Batch: batchPictures, Fact: sameFact, Device: "instancenorm",
		New: compute.NewInstanceNormalization,
	},
	{
		Name: "GroupNormalization", Since: []int{18, 21}, Arity: Arity{3, 3, 1}, Kind: Normalize,
		Axes: channelRule, Batch: batchPictures, Fact: sameFact, Device: "groupnorm",
		New: compute.NewGroupNormalization,
	},
	// LayerNormalization mixes all dimensions from its axis on.
	{
		Name: "LayerNormalization", Since: []int{17}, Arity: Arity{2, 3, 3}, Kind: Normalize,
		Axes: alongRule(layerNormMixes), Batch: batchAxis(-1), Fact: sameFact, Device: "layernorm",
		New: compute.NewLayerNormalization,
	},
	{
		Name: "RMSNormalization", Since: []int{23}, Arity: twoInputs, Kind: Normalize,
		Axes: alongRule(layerNormMixes), Batch: batchAxis(-1), Fact: sameFact, Device: "rmsnorm",
		New: compute.NewRMSNormalization,
	},
	{
		Name: "LpNormalization", Since: []int{1, 22}, Arity: oneInput, Kind: Normalize,
		Axes: alongRule(attributeAxis(-1)), Batch: batchAxis(-1), Fact: sameFact,
		New: compute.NewLpNormalization,
	},
	{
		Name: "LRN", Since: []int{1, 13}, Arity: oneInput, Kind: Normalize, Axes: channelRule,
		Batch: batchPictures, Fact: sameFact, New: compute.NewLRN,
	},
	// The default axes include the batch, so instances are mixed.
	{
		Name: "MeanVarianceNormalization", Since: []int{9, 13}, Arity: oneInput, Kind: Normalize,
		Axes: wholeRule, Fact: sameFact, New: compute.NewMeanVarianceNormalization,
	},
	// Attention layers as single operators. Exporters of earlier versions write them as MatMul and
	// Softmax.
	{
		Name: "Attention", Since: []int{23, 24}, Arity: Arity{3, 7, 4}, Kind: Sequence,
		Axes: attentionRule, New: compute.NewAttention,
	},
	// Angles depend on the place of an instance, and so does the result.
	{
		Name: "RotaryEmbedding", Since: []int{23}, Arity: Arity{3, 4, 1}, Kind: Sequence,
		Axes: wholeRule, New: compute.NewRotaryEmbedding,
	},
	// Recurrent layers mix the places of the time axis.
	{
		Name: "LSTM", Since: []int{1, 7, 14, 22}, Arity: Arity{3, 8, 3}, Kind: Sequence,
		Axes: recurrentRule, New: compute.NewLSTM,
	},
	{
		Name: "GRU", Since: []int{1, 3, 7, 14, 22}, Arity: Arity{3, 6, 2}, Kind: Sequence,
		Axes: recurrentRule, New: compute.NewGRU,
	},
	{
		Name: "RNN", Since: []int{1, 7, 14, 22}, Arity: Arity{3, 6, 2}, Kind: Sequence,
		Axes: recurrentRule, New: compute.NewRNN,
	},
}
