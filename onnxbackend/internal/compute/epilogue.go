package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// An epilogue is what a product does to each block of its result while the block is in the cache:
// the kernel's part, then an activation that the kernel lacks. The arithmetic is that of the
// operator Add and of the activation, so fusing changes no bits. The zero value does nothing.
type epilogue struct {
	kernel.Epilogue
	after func(block []float32) // or nil
}

// activationCost is the cost of an activation in multiplications, roughly. Tick counts in that
// unit.
const activationCost = 8

// work is the cost of activating n elements. The cost of Relu is negligible.
func (e *epilogue) work(n int) int {
	if e.after == nil && e.Act <= kernel.ActRelu {
		return 0
	}
	return n * activationCost
}

// finish applies an epilogue without a bias for rows to a row that the kernel has not finished,
// such as the result of a product with a vector.
func (e *epilogue) finish(row []float32) {
	if e.Bias != nil {
		for j, v := range e.Bias[:len(row)] {
			row[j] += v
		}
	}
	e.activate(row)
}

// activate applies the activation to elements that have their bias already.
func (e *epilogue) activate(block []float32) {
	kernel.Activate(block, e.Act)
	if e.after != nil {
		e.after(block)
	}
}

// whole activates a result that could not be finished block by block, in chunks.
func (e *epilogue) whole(m *machine.Machine, o *tensor.Tensor) error {
	x := tensor.Of[float32](o)
	return inChunks(m, len(x), func(lo, hi int) { e.activate(x[lo:hi]) })
}

// Split returns the function of a product, made by factory, without its activation, and that of the
// activation, nil for none. Neither has packed factors, so that they serve any weights.
func (n *Node) Split(factory Factory) (product, activation Func, err error) {
	plain := *n
	plain.Activation, plain.Const = nil, nil
	if product, err = factory(&plain); err != nil || n.Activation == nil {
		return product, nil, err
	}
	ep := n.epilogue()
	return product, func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if err := m.Alloc(out[0], tensor.Float32, in[0].Shape...); err != nil {
			return err
		}
		copy(out[0].Words, in[0].Words)
		return ep.whole(m, out[0])
	}, nil
}

// epilogue returns the activation that passes have fused into a node. It is the zero epilogue if
// there is none.
func (n *Node) epilogue() (e epilogue) {
	if n.Activation != nil {
		n.Activation.Fuse(n.Activation, &e)
	}
	return e
}

// A FuseRule makes a node, an activation, part of an epilogue. A row has one if passes may fuse the
// operator into a layer.
type FuseRule func(n *Node, e *epilogue)

// Fuse selects an activation that the kernels know.
func Fuse(act kernel.Activation) FuseRule {
	return func(_ *Node, e *epilogue) { e.Act = act }
}

// FuseReal applies a function of one real number after the kernel, with the arithmetic of
// mapFloats.
func FuseReal(of func(*Node) func(float64) float64) FuseRule {
	return func(n *Node, e *epilogue) {
		f := of(n)
		e.after = func(block []float32) {
			for i, v := range block {
				block[i] = float32(f(float64(v)))
			}
		}
	}
}

// FuseHardSigmoid is FuseReal of HardSigmoid without a call for each element, since it follows the
// products of squeezed pictures, which are small.
func FuseHardSigmoid(n *Node, e *epilogue) {
	alpha, beta := float64(n.Float("alpha", 0.2)), float64(n.Float("beta", 0.5))
	e.after = func(block []float32) {
		for i, v := range block {
			block[i] = float32(clippedLine(float64(v), alpha, beta))
		}
	}
}

// FuseGelu is for both forms of Gelu; the kernels know the exact one.
func FuseGelu(n *Node, e *epilogue) {
	if n.Text("approximate", "none") == "none" {
		e.Act = kernel.ActGelu
		return
	}
	FuseReal(Gelu)(n, e)
}

// FuseSwish is for any scale of the gate's argument; the kernels know 1.
func FuseSwish(n *Node, e *epilogue) {
	if n.Float("alpha", 1) == 1 {
		e.Act = kernel.ActSwish
		return
	}
	FuseReal(Swish)(n, e)
}
