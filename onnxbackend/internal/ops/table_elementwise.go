package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// elementwiseTable holds functions of each element of one input.
var elementwiseTable = []Row{
	// Activations and other functions of one number. Fuse marks the activations that a layer
	// applies to its result.
	{
		Name: "Relu", Since: []int{6, 13, 14}, Arity: oneInput, Kind: Elementwise, Fuse: fuseRelu,
		Device: "relu", New: signed("Relu"),
	},
	{
		Name: "Abs", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "abs",
		New: signed("Abs"),
	},
	{
		Name: "Neg", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "neg",
		New: signed("Neg"),
	},
	{Name: "Sign", Since: []int{9, 13}, Arity: oneInput, Kind: Elementwise, New: signed("Sign")},
	// Parameters are attributes, which realWith reads once.
	{
		Name: "LeakyRelu", Since: []int{6, 16}, Arity: oneInput, Kind: Elementwise,
		Fuse: fuseLeakyRelu, Device: "leakyrelu", New: realWith(leakyRelu),
	},
	{
		Name: "Elu", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise, Device: "elu",
		New: realWith(elu),
	},
	{
		Name: "Celu", Since: []int{12}, Arity: oneInput, Kind: Elementwise, Device: "celu",
		New: realWith(celu),
	},
	{
		Name: "Selu", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise, Device: "selu",
		New: realWith(selu),
	},
	{
		Name: "Gelu", Since: []int{20}, Arity: oneInput, Kind: Elementwise, Device: "gelu",
		New: realWith(gelu),
	},
	{
		Name: "ThresholdedRelu", Since: []int{10, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "thresholdedrelu", New: realWith(thresholdedRelu),
	},
	{
		Name: "HardSigmoid", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "hardsigmoid", New: realWith(hardSigmoid),
	},
	{
		Name: "HardSwish", Since: []int{14, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "hardswish", New: realOp(hardSwish),
	},
	{
		Name: "Swish", Since: []int{24}, Arity: oneInput, Kind: Elementwise, Device: "swish",
		New: realWith(swish),
	},
	{Name: "Shrink", Since: []int{9}, Arity: oneInput, Kind: Elementwise, New: realWith(shrink)},
	{
		Name: "Mish", Since: []int{18, 22}, Arity: oneInput, Kind: Elementwise, Device: "mish",
		New: realOp(func(x float64) float64 { return x * math.Tanh(softplus(x)) }),
	},
	{
		Name: "Softplus", Since: []int{1, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "softplus", New: realOp(softplus),
	},
	{
		Name: "Softsign", Since: []int{1, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "softsign", New: realOp(softsign),
	},
	// These have kernels in float32; the function of float64 is the reference.
	{
		Name: "Sigmoid", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise,
		Fuse: fuseSigmoid, Device: "sigmoid", New: fastOp(kernel.Sigmoid, sigmoid),
	},
	{
		Name: "Tanh", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Fuse: fuseTanh,
		Device: "tanh", New: fastOp(kernel.Tanh, math.Tanh),
	},
	{
		Name: "Erf", Since: []int{9, 13}, Arity: oneInput, Kind: Elementwise, Device: "erf",
		New: fastOp(kernel.Erf, math.Erf),
	},
	{
		Name: "Exp", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "exp",
		New: fastOp(kernel.Exp, math.Exp),
	},
	// The remaining functions are those of package math, computed in float64.
	{Name: "Log", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Log)},
	{
		Name: "Sqrt", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "sqrt",
		New: realOp(math.Sqrt),
	},
	{
		Name: "Reciprocal", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise,
		Device: "reciprocal", New: realOp(func(x float64) float64 { return 1 / x }),
	},
	{
		Name: "Floor", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "floor",
		New: realOp(math.Floor),
	},
	{
		Name: "Ceil", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "ceil",
		New: realOp(math.Ceil),
	},
	{
		Name: "Round", Since: []int{11, 22}, Arity: oneInput, Kind: Elementwise,
		New: realOp(math.RoundToEven),
	},
	{Name: "Sin", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Sin)},
	{Name: "Cos", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Cos)},
	{Name: "Tan", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Tan)},
	{Name: "Asin", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Asin)},
	{Name: "Acos", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Acos)},
	{Name: "Atan", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Atan)},
	{Name: "Sinh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Sinh)},
	{Name: "Cosh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise, New: realOp(math.Cosh)},
	{
		Name: "Asinh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		New: realOp(math.Asinh),
	},
	{
		Name: "Acosh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		New: realOp(math.Acosh),
	},
	{
		Name: "Atanh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		New: realOp(math.Atanh),
	},
	// Conditions return bools.
	{
		Name: "IsNaN", Since: []int{9, 13, 20}, Arity: oneInput, Kind: Elementwise,
		Fact: truthFact, New: newIsNaN,
	},
	{
		Name: "IsInf", Since: []int{10, 20}, Arity: oneInput, Kind: Elementwise, Fact: truthFact,
		New: newIsInf,
	},
	{
		Name: "Not", Since: []int{1}, Arity: oneInput, Kind: Elementwise, Fact: truthFact,
		New: newNot,
	},
	// Bounds are inputs since version 11, and scalars, so the rules of the kind hold.
	{
		Name: "Clip", Since: []int{6, 11, 12, 13}, Arity: Arity{1, 3, 1}, Kind: Elementwise,
		Device: "clip", New: newClip,
	},
	// The types of casts may be 16-bit floats, which only the file knows.
	{
		Name: "Cast", Since: []int{6, 9, 13, 19, 21, 23, 24, 25}, Arity: oneInput,
		Kind: PassThrough,
		Fact: castFact, NoOp: castNoOp, Half: castHalf, New: newCast,
	},
	{
		Name: "CastLike", Since: []int{15, 19, 21, 23, 24, 25}, Arity: twoInputs, Kind: PassThrough,
		Fact: castLikeFact, Half: castLikeHalf, New: newCastLike,
	},
	{
		Name: "Identity", Since: []int{1, 13, 14, 16, 19, 21, 23, 24, 25}, Arity: oneInput,
		Kind: PassThrough, NoOp: always, Device: "view", New: newIdentity,
	},
	// In inference, Dropout returns its input.
	{
		Name: "Dropout", Since: []int{7, 10, 12, 13, 22}, Arity: Arity{1, 3, 2}, Kind: PassThrough,
		NoOp: dropoutNoOp, Device: "view", New: newDropout,
	},
}
