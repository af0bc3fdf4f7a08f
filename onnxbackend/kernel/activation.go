package kernel

import "math"

// An Activation is a function of one element that Gemm can apply to its result.
type Activation uint8

// The activations. ActNone and ActRelu cost nothing in a product; the others are applied to a block
// of rows while it is in the cache.
const (
	ActNone      Activation = iota // x
	ActRelu                        // max(x, 0); a NaN stays one
	ActTanh                        // the function Tanh
	ActSigmoid                     // the function Sigmoid
	ActSwish                       // the function Swish
	ActGelu                        // the function Gelu
	ActHardSwish                   // the function HardSwish
)

// Activate applies act to each element of x in place.
func Activate(x []float32, act Activation) {
	switch act {
	case ActRelu:
		Clamp(x, x, 0, float32(math.Inf(1)))
	case ActTanh:
		Tanh(x, x)
	case ActSigmoid:
		Sigmoid(x, x)
	case ActSwish:
		Swish(x, x)
	case ActGelu:
		Gelu(x, x)
	case ActHardSwish:
		HardSwish(x, x)
	}
}
