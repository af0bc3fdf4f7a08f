package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// mapFloats applies f to each element of a real tensor.
func mapFloats(m *machine.Machine, out, x *tensor.Tensor, f func(float64) float64) error {
	switch x.Type {
	case tensor.Float32:
		return mapEach(m, out, x, x.Type, func(v float32) float32 { return float32(f(float64(v))) })
	case tensor.Float64:
		return mapEach(m, out, x, x.Type, f)
	}
	return typeError(x.Type)
}

// mapEach applies f to each element, in chunks between which the run may be cancelled.
func mapEach[T, R tensor.Number](
	m *machine.Machine, out, x *tensor.Tensor, result tensor.Type, f func(T) R,
) error {
	if err := m.Alloc(out, result, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[T](x), tensor.Of[R](out)
	return inChunks(m, len(src), func(lo, hi int) {
		d := dst[lo:hi]
		for i, v := range src[lo:hi] {
			d[i] = f(v)
		}
	})
}

// inChunks calls f on chunks of n elements between which the run may be cancelled.
func inChunks(m *machine.Machine, n int, f func(lo, hi int)) error {
	const chunk, cost = 1 << 14, 8
	for lo := 0; lo < n; lo += chunk {
		hi := min(lo+chunk, n)
		if err := m.Tick((hi - lo) * cost); err != nil {
			return err
		}
		f(lo, hi)
	}
	return nil
}

// realOp makes the factory of an operator that is a function of one real number.
func realOp(f func(float64) float64) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			return mapFloats(m, out[0], in[0], f)
		}, nil
	}
}

// fastOp is realOp for functions that the kernel has in float32; f serves float64.
func fastOp(fast func(dst, src []float32), f func(float64) float64) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			x := in[0]
			if x.Type != tensor.Float32 {
				return mapFloats(m, out[0], x, f)
			}
			if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
				return err
			}
			src, dst := tensor.Of[float32](x), tensor.Of[float32](out[0])
			return inChunks(m, len(src), func(lo, hi int) { fast(dst[lo:hi], src[lo:hi]) })
		}, nil
	}
}

// realWith makes the factory of such an operator with parameters that are attributes.
func realWith(f func(n *Node) func(float64) float64) Factory {
	return func(n *Node) (Func, error) { return realOp(f(n))(n) }
}

// signed makes the factory of Relu, Abs, Neg and Sign, which also take integers.
func signed(op string) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			return signedByType.run(m, out[0], in[0].Type, op, in...)
		}, nil
	}
}

var signedByType = byType[string]{
	f32: mapSigned[float32], f64: mapSigned[float64], i64: mapSigned[int64], u64: mapSigned[uint64],
}

func mapSigned[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, op string,
) error {
	return mapEach(m, out, in[0], in[0].Type, signedFunc[T](op))
}

func signedFunc[T tensor.Number](op string) func(T) T {
	switch op {
	case "Relu":
		return func(v T) T {
			if v < 0 {
				return 0
			}
			return v
		}
	case "Abs":
		return func(v T) T {
			if v <= 0 {
				return 0 - v
			}
			return v
		}
	case "Neg":
		return func(v T) T { return -v }
	case "Sign":
		return func(v T) T {
			var one T = 1
			switch {
			case v > 0:
				return one
			case v < 0:
				return 0 - one
			}
			return v
		}
	}
	panic("ops: no function " + op)
}

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func softsign(x float64) float64 { return x / (1 + math.Abs(x)) }

func leakyRelu(n *Node) func(float64) float64 {
	return leaky(float64(n.Float("alpha", 0.01)))
}

func elu(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x)
		}
		return x
	}
}

func celu(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x/alpha)
		}
		return x
	}
}

func selu(n *Node) func(float64) float64 {
	alpha, gamma := float64(n.Float("alpha", 1.67326319217681884765625)),
		float64(n.Float("gamma", 1.05070102214813232421875))
	return func(x float64) float64 {
		if x <= 0 {
			return gamma * alpha * math.Expm1(x)
		}
		return gamma * x
	}
}

func hardSigmoid(n *Node) func(float64) float64 {
	alpha, beta := float64(n.Float("alpha", 0.2)), float64(n.Float("beta", 0.5))
	return func(x float64) float64 { return max(0, min(1, alpha*x+beta)) }
}

func hardSwish(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }

func thresholdedRelu(n *Node) func(float64) float64 {
	return threshold(float64(n.Float("alpha", 1)))
}

// threshold returns the function x for x > alpha, else 0.
func threshold(alpha float64) func(float64) float64 {
	return func(x float64) float64 {
		if x > alpha {
			return x
		}
		return 0
	}
}

func gelu(n *Node) func(float64) float64 {
	switch a := n.Text("approximate", "none"); a {
	case "none":
		return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
	case "tanh":
		c := math.Sqrt(2 / math.Pi)
		return func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(c*(x+0.044715*x*x*x))) }
	default:
		n.fail("attribute approximate is %q, neither none nor tanh", a)
		return nil
	}
}

func swish(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 { return x * sigmoid(alpha*x) }
}

func shrink(n *Node) func(float64) float64 {
	lambda, bias := float64(n.Float("lambd", 0.5)), float64(n.Float("bias", 0))
	return func(x float64) float64 {
		switch {
		case x < -lambda:
			return x + bias
		case x > lambda:
			return x - bias
		}
		return 0
	}
}
