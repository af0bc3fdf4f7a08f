package ops_test

import (
	"math"

	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// elementwiseCases has the cases of the rows in ops/table_elementwise.go.
var elementwiseCases = map[string][]operatorCase{
	"Relu": {{"relu keeps NaN", 14, nil, []ot.Tensor{ot.F("", []float32{-2, 2, float32(nan)}, 3)},
		[]int{3}, []float64{0, 2, nan}}},
	"Sign": {{"sign", 13, nil, []ot.Tensor{ot.I("", []int64{-5, 0, 7}, 3)},
		[]int{3}, []float64{-1, 0, 1}}},
	"LeakyRelu": {{"leaky relu", 16, attrs(ot.Float("alpha", .5)),
		[]ot.Tensor{ot.F("", []float32{-2, 2}, 2)}, []int{2}, []float64{-1, 2}}},
	"Elu": {{"elu", 13, attrs(ot.Float("alpha", 2)), []ot.Tensor{ot.F("", []float32{-1, 3}, 2)},
		[]int{2}, []float64{2 * (math.Exp(-1) - 1), 3}}},
	"Gelu": {{"gelu", 20, nil, []ot.Tensor{ot.F("", []float32{0, 1}, 2)},
		[]int{2}, []float64{0, .8413447460685429}}},
	"Swish": {{"swish", 24, attrs(ot.Float("alpha", 2)), []ot.Tensor{ot.F("", []float32{0, 1}, 2)},
		[]int{2}, []float64{0, 1 / (1 + math.Exp(-2))}}},
	"Shrink": {{"shrink", 9, attrs(ot.Float("lambd", 1), ot.Float("bias", .5)),
		[]ot.Tensor{ot.F("", []float32{-2, 1, 2}, 3)}, []int{3}, []float64{-1.5, 0, 1.5}}},
	"Softplus": {{"softplus of a large number", 13, nil,
		[]ot.Tensor{ot.F("", []float32{0, 100}, 2)}, []int{2}, []float64{math.Ln2, 100}}},
	"Sigmoid": {{"sigmoid at its ends", 13, nil,
		[]ot.Tensor{ot.F("", []float32{-1000, 0, 1000}, 3)}, []int{3}, []float64{0, .5, 1}}},
	"Round": {{"round half to even", 13, nil, []ot.Tensor{ot.F("", []float32{.5, 1.5, -2.5}, 3)},
		[]int{3}, []float64{0, 2, -2}}},
	"Not": {{"negation", 7, nil, []ot.Tensor{bools([]int32{1, 0}, 2)}, []int{2}, []float64{0, 1}}},
	"Clip": {
		{"clip 10", 10, attrs(ot.Float("min", 0), ot.Float("max", 2)),
			[]ot.Tensor{ot.F("", []float32{-1, 1, 3}, 3)}, []int{3}, []float64{0, 1, 2}},
		{"clip 11 from above", 11, nil,
			[]ot.Tensor{ot.F("", []float32{-1, 1, 3}, 3), omitted, ot.F("", []float32{2})},
			[]int{3}, []float64{-1, 1, 2}},
	},
	"Cast": {
		{"cast drops the fraction", 13, attrs(ot.Int("to", 7)),
			[]ot.Tensor{ot.F("", []float32{-1.9, 1.9}, 2)}, []int{2}, []float64{-1, 1}},
		{"cast to truth", 13, attrs(ot.Int("to", 9)), []ot.Tensor{ot.F("", []float32{0, .1}, 2)},
			[]int{2}, []float64{0, 1}},
		{"cast to half rounds", 13, attrs(ot.Int("to", 10)),
			[]ot.Tensor{ot.F("", []float32{1.0001, 70000}, 2)}, []int{2}, []float64{1, inf}},
	},
	"CastLike": {{"cast to another's type", 15, nil,
		[]ot.Tensor{ot.F("", []float32{2.5}, 1), ot.I("", []int64{0})}, []int{1}, []float64{2}}},
	"Identity": {
		{"half precision initializer", 13, nil,
			[]ot.Tensor{constant(ot.Tensor{Type: ot.Float16, Dims: []int{2},
				Ints32: []int32{0x3c00, 0xc100}})}, []int{2}, []float64{1, -2.5}},
		{"bfloat16 initializer", 13, nil,
			[]ot.Tensor{constant(ot.Tensor{Type: ot.BFloat16, Dims: []int{1},
				Raw: []byte{0xc0, 0x3f}})}, []int{1}, []float64{1.5}},
	},
	"Dropout": {{"dropout", 13, nil, []ot.Tensor{grid, ot.F("", []float32{.5})},
		[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}},
}

// elementwiseFunctions has, for functions of one real number, what Go's library or a formula
// returns. Each is a case of its operator, see operatorCases.
var elementwiseFunctions = map[string]func(float64) float64{
	"Exp":         math.Exp,
	"Log":         math.Log,
	"Sqrt":        math.Sqrt,
	"Tanh":        math.Tanh,
	"Erf":         math.Erf,
	"Floor":       math.Floor,
	"Ceil":        math.Ceil,
	"Sin":         math.Sin,
	"Cos":         math.Cos,
	"Tan":         math.Tan,
	"Asin":        math.Asin,
	"Acos":        math.Acos,
	"Atan":        math.Atan,
	"Sinh":        math.Sinh,
	"Cosh":        math.Cosh,
	"Asinh":       math.Asinh,
	"Acosh":       math.Acosh,
	"Atanh":       math.Atanh,
	"Abs":         math.Abs,
	"Neg":         func(x float64) float64 { return -x },
	"Reciprocal":  func(x float64) float64 { return 1 / x },
	"Softsign":    func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"HardSigmoid": func(x float64) float64 { return max(0, min(1, .2*x+.5)) },
	"HardSwish":   func(x float64) float64 { return x * max(0, min(1, x/6+.5)) },
	"Mish":        func(x float64) float64 { return x * math.Tanh(math.Log(1+math.Exp(x))) },
	"Celu":        func(x float64) float64 { return max(0, x) + min(0, math.Exp(x)-1) },
	"Selu": func(x float64) float64 {
		return 1.05070102214813232 * (max(0, x) + min(0, 1.67326319217681885*(math.Exp(x)-1)))
	},
	"ThresholdedRelu": func(x float64) float64 {
		if x > 1 {
			return x
		}
		return 0
	},
	"Identity": func(x float64) float64 { return x },
	"IsNaN":    func(x float64) float64 { return indicator(math.IsNaN(x)) },
	"IsInf":    func(x float64) float64 { return indicator(math.IsInf(x, 0)) },
}

// elementwiseArguments are what elementwiseFunctions are evaluated at.
var elementwiseArguments = []float32{
	-3, -1, -.5, -.25, 0, .25, .5, 1, 3, float32(nan), float32(inf),
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
