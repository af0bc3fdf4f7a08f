package kernel

// An Activation is a function of one element that Gemm can apply to its result.
type Activation uint8

// The activations. ActNone and ActRelu cost nothing in a product; the others are applied to a block
// of rows while it is in the cache.
const (
	ActNone    Activation = iota // x
	ActRelu                      // max(x, 0); a NaN stays one
	ActTanh                      // as Tanh
	ActSigmoid                   // as Sigmoid
)

// Activate applies act to each element of x in place.
func Activate(x []float32, act Activation) {
	switch act {
	case ActRelu:
		for i, v := range x {
			if v < 0 {
				x[i] = 0
			}
		}
	case ActTanh:
		Tanh(x, x)
	case ActSigmoid:
		Sigmoid(x, x)
	}
}
