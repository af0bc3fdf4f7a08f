package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// mapFloats applies f to each element of a real tensor. float32 is computed in float64 and rounded
// once.
func mapFloats(m *machine.Machine, out, x *tensor.Tensor, f func(float64) float64) error {
	switch x.Type {
	case tensor.Float32:
		return mapEach(m, out, x, x.Type, func(v float32) float32 { return float32(f(float64(v))) })
	case tensor.Float64:
		return mapEach(m, out, x, x.Type, f)
	}
	return typeError(x.Type)
}

// mapEach allocates out with type result and applies f to each element of x, in chunks between
// which the run may be cancelled.
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

// inChunks calls f on chunks of n elements between which the run may be cancelled. The cost counts
// an element as a short function, such as an exponential.
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

// RealOp makes the factory of an operator that is a function of one real number.
func RealOp(f func(float64) float64) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			return mapFloats(m, out[0], in[0], f)
		}, nil
	}
}

// FastOp is RealOp for functions that package kernel has in float32; f computes float64.
func FastOp(fast func(dst, src []float32), f func(float64) float64) Factory {
	return func(*Node) (Func, error) {
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			x := in[0]
			if x.Type != tensor.Float32 {
				return mapFloats(m, out[0], x, f)
			}
			return mapRows(m, out[0], x, fast)
		}, nil
	}
}

// mapRows allocates out and applies a kernel to x, of float32, in chunks.
func mapRows(m *machine.Machine, out, x *tensor.Tensor, f func(dst, src []float32)) error {
	if err := m.Alloc(out, x.Type, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	return inChunks(m, len(src), func(lo, hi int) { f(dst[lo:hi], src[lo:hi]) })
}

// FastActivation is FastOp for an activation whose attributes decide whether a kernel has it. f
// computes float64, and float32 if no kernel does.
func FastActivation(rule FuseRule, f func(*Node) func(float64) float64) Factory {
	return func(n *Node) (Func, error) {
		var e epilogue
		if rule(n, &e); e.Act == kernel.ActNone {
			return RealOp(f(n))(n)
		}
		fast := func(dst, src []float32) {
			copy(dst, src)
			kernel.Activate(dst, e.Act)
		}
		return FastOp(fast, f(n))(n)
	}
}

// RealWith makes the factory of a function of one real number with attributes, which f reads.
func RealWith(f func(n *Node) func(float64) float64) Factory {
	return func(n *Node) (Func, error) { return RealOp(f(n))(n) }
}

// NewSigned makes Relu, Abs, Neg and Sign, which accept integers too.
func NewSigned(n *Node) (Func, error) {
	op := n.Op
	relu := func(dst, src []float32) { kernel.Clamp(dst, src, 0, float32(math.Inf(1))) }
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if op == "Relu" && in[0].Type == tensor.Float32 {
			return mapRows(m, out[0], in[0], relu)
		}
		return signedByType.run(m, out[0], in[0].Type, op, in...)
	}, nil
}

// signedByType computes Relu, Abs, Neg and Sign. The parameter is the operator's name.
var signedByType = byType[string]{
	f32: mapSigned[float32], f64: mapSigned[float64], i64: mapSigned[int64], u64: mapSigned[uint64],
}

// mapSigned applies the function of an operator to each element.
func mapSigned[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, op string,
) error {
	return mapEach(m, out, in[0], in[0].Type, signedFunc[T](op))
}

// signedFunc returns the function of an operator for one type. NaN passes through each of them.
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

// Sigmoid computes 1 / (1 + e^-x). The branch keeps the argument of Exp negative, so that it does
// not overflow.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// Softplus computes log(1 + e^x) without overflow.
func Softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Softsign computes x / (1 + |x|).
func Softsign(x float64) float64 { return x / (1 + math.Abs(x)) }

// LeakyRelu returns x for x ≥ 0, else alpha·x.
func LeakyRelu(n *Node) func(float64) float64 {
	return leaky(float64(n.Float("alpha", 0.01)))
}

// Elu returns x for x ≥ 0, else alpha·(e^x - 1) (Clevert et al., 2015).
func Elu(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x)
		}
		return x
	}
}

// Celu returns x for x ≥ 0, else alpha·(e^(x/alpha) - 1) (Barron, 2017).
func Celu(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x/alpha)
		}
		return x
	}
}

// Selu returns gamma·x for x > 0, else gamma·alpha·(e^x - 1) (Klambauer et al., 2017). The defaults
// are those of ONNX, which keep mean 0 and variance 1.
func Selu(n *Node) func(float64) float64 {
	alpha, gamma := float64(n.Float("alpha", 1.67326319217681884765625)),
		float64(n.Float("gamma", 1.05070102214813232421875))
	return func(x float64) float64 {
		if x <= 0 {
			return gamma * alpha * math.Expm1(x)
		}
		return gamma * x
	}
}

// HardSigmoid returns alpha·x + beta, clipped to [0, 1].
func HardSigmoid(n *Node) func(float64) float64 {
	alpha, beta := float64(n.Float("alpha", 0.2)), float64(n.Float("beta", 0.5))
	return func(x float64) float64 { return clippedLine(x, alpha, beta) }
}

// clippedLine returns alpha·x + beta, clipped to [0, 1].
func clippedLine(x, alpha, beta float64) float64 { return max(0, min(1, alpha*x+beta)) }

// HardSwish returns x times HardSigmoid with alpha 1/6 and beta 0.5.
func HardSwish(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }

// ThresholdedRelu returns x for x > alpha, else 0.
func ThresholdedRelu(n *Node) func(float64) float64 {
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

// Gelu returns x times the standard normal distribution function, or its approximation by tanh
// (Hendrycks and Gimpel, 2016).
func Gelu(n *Node) func(float64) float64 {
	if n.Text("approximate", "none") == "tanh" {
		c := math.Sqrt(2 / math.Pi)
		return func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(c*(x+0.044715*x*x*x))) }
	}
	return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
}

// Swish returns x·sigmoid(alpha·x).
func Swish(n *Node) func(float64) float64 {
	alpha := float64(n.Float("alpha", 1))
	return func(x float64) float64 { return x * Sigmoid(alpha*x) }
}

// Shrink moves x toward 0 by bias if it lies outside of [-lambd, lambd], and returns 0 inside.
func Shrink(n *Node) func(float64) float64 {
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
