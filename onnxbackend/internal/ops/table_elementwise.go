package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// elementwiseTable holds functions of each element of one input.
var elementwiseTable = []Row{
	// Activations and other functions of one number. Fuse marks the activations that a layer
	// applies to its result.
	{
		Name: "Relu", Since: []int{6, 13, 14}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.Fuse(kernel.ActRelu), Device: "relu", New: compute.NewSigned,
	},
	{
		Name: "Abs", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "abs",
		New: compute.NewSigned,
	},
	{
		Name: "Neg", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "neg",
		New: compute.NewSigned,
	},
	{Name: "Sign", Since: []int{9, 13}, Arity: oneInput, Kind: Elementwise, New: compute.NewSigned},
	// Parameters are attributes, which RealWith reads once.
	{
		Name: "LeakyRelu", Since: []int{6, 16}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.FuseReal(compute.LeakyRelu), Device: "leakyrelu", RealWith: compute.LeakyRelu,
	},
	{
		Name: "Elu", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise, Device: "elu",
		RealWith: compute.Elu,
	},
	{
		Name: "Celu", Since: []int{12}, Arity: oneInput, Kind: Elementwise, Device: "celu",
		RealWith: compute.Celu,
	},
	{
		Name: "Selu", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise, Device: "selu",
		RealWith: compute.Selu,
	},
	{
		Name: "Gelu", Since: []int{20}, Arity: oneInput, Kind: Elementwise, Fuse: compute.FuseGelu,
		Device: "gelu", New: compute.FastActivation(compute.FuseGelu, compute.Gelu),
	},
	{
		Name: "ThresholdedRelu", Since: []int{10, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "thresholdedrelu", RealWith: compute.ThresholdedRelu,
	},
	{
		Name: "HardSigmoid", Since: []int{6, 22}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.FuseHardSigmoid, Device: "hardsigmoid", RealWith: compute.HardSigmoid,
	},
	{
		Name: "HardSwish", Since: []int{14, 22}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.Fuse(kernel.ActHardSwish), Device: "hardswish",
		New: compute.FastOp(kernel.HardSwish, compute.HardSwish),
	},
	{
		Name: "Swish", Since: []int{24}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.FuseSwish, Device: "swish",
		New: compute.FastActivation(compute.FuseSwish, compute.Swish),
	},
	{Name: "Shrink", Since: []int{9}, Arity: oneInput, Kind: Elementwise, RealWith: compute.Shrink},
	{
		Name: "Mish", Since: []int{18, 22}, Arity: oneInput, Kind: Elementwise, Device: "mish",
		Real: func(x float64) float64 { return x * math.Tanh(compute.Softplus(x)) },
	},
	{
		Name: "Softplus", Since: []int{1, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "softplus", Real: compute.Softplus,
	},
	{
		Name: "Softsign", Since: []int{1, 22}, Arity: oneInput, Kind: Elementwise,
		Device: "softsign", Real: compute.Softsign,
	},
	// These have kernels in float32; the function of float64 is the reference.
	{
		Name: "Sigmoid", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.Fuse(kernel.ActSigmoid), Device: "sigmoid",
		New: compute.FastOp(kernel.Sigmoid, compute.Sigmoid),
	},
	{
		Name: "Tanh", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise,
		Fuse: compute.Fuse(kernel.ActTanh), Device: "tanh",
		New: compute.FastOp(kernel.Tanh, math.Tanh),
	},
	{
		Name: "Erf", Since: []int{9, 13}, Arity: oneInput, Kind: Elementwise, Device: "erf",
		New: compute.FastOp(kernel.Erf, math.Erf),
	},
	{
		Name: "Exp", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "exp",
		New: compute.FastOp(kernel.Exp, math.Exp),
	},
	// The remaining functions are those of package math, computed in float64.
	{Name: "Log", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Real: math.Log},
	{
		Name: "Sqrt", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "sqrt",
		Real: math.Sqrt,
	},
	{
		Name: "Reciprocal", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise,
		Device: "reciprocal", Real: func(x float64) float64 { return 1 / x },
	},
	{
		Name: "Floor", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "floor",
		Real: math.Floor,
	},
	{
		Name: "Ceil", Since: []int{6, 13}, Arity: oneInput, Kind: Elementwise, Device: "ceil",
		Real: math.Ceil,
	},
	{
		Name: "Round", Since: []int{11, 22}, Arity: oneInput, Kind: Elementwise,
		Real: math.RoundToEven,
	},
	{Name: "Sin", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Sin},
	{Name: "Cos", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Cos},
	{Name: "Tan", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Tan},
	{Name: "Asin", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Asin},
	{Name: "Acos", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Acos},
	{Name: "Atan", Since: []int{7, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Atan},
	{Name: "Sinh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Sinh},
	{Name: "Cosh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise, Real: math.Cosh},
	{
		Name: "Asinh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		Real: math.Asinh,
	},
	{
		Name: "Acosh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		Real: math.Acosh,
	},
	{
		Name: "Atanh", Since: []int{9, 22}, Arity: oneInput, Kind: Elementwise,
		Real: math.Atanh,
	},
	// Conditions return bools.
	{
		Name: "IsNaN", Since: []int{9, 13, 20}, Arity: oneInput, Kind: Elementwise,
		Fact: truthFact, New: compute.NewIsNaN,
	},
	{
		Name: "IsInf", Since: []int{10, 20}, Arity: oneInput, Kind: Elementwise, Fact: truthFact,
		New: compute.NewIsInf,
	},
	{
		Name: "Not", Since: []int{1}, Arity: oneInput, Kind: Elementwise, Fact: truthFact,
		New: compute.NewNot,
	},
	// Bounds are inputs since version 11, and scalars, so the rules of the kind hold.
	{
		Name: "Clip", Since: []int{6, 11, 12, 13}, Arity: Arity{1, 3, 1}, Kind: Elementwise,
		Fuse: compute.FuseClip, Device: "clip", New: compute.NewClip,
	},
	// The types of casts may be 16-bit floats, which only the file knows.
	{
		Name: "Cast", Since: []int{6, 9, 13, 19, 21, 23, 24, 25}, Arity: oneInput,
		Kind: PassThrough, Axes: castRule,
		Fact: castFact, NoOp: castNoOp, Half: castHalf, New: compute.NewCast,
	},
	{
		Name: "CastLike", Since: []int{15, 19, 21, 23, 24, 25}, Arity: twoInputs, Kind: PassThrough,
		Axes: castRule, Fact: castLikeFact, Half: castLikeHalf, New: compute.NewCastLike,
	},
	{
		Name: "Identity", Since: []int{1, 13, 14, 16, 19, 21, 23, 24, 25}, Arity: oneInput,
		Kind: PassThrough, NoOp: always, Device: "view", New: compute.NewIdentity,
	},
	// In inference, Dropout returns its input.
	{
		Name: "Dropout", Since: []int{7, 10, 12, 13, 22}, Arity: Arity{1, 3, 2}, Kind: PassThrough,
		NoOp: dropoutNoOp, Device: "view", New: compute.NewDropout,
	},
}
