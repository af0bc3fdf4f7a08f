package ops

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// An epilogue is what a product does to each block of its result while that is in the cache: it adds and
// then activates, with the arithmetic of the operators Add, Relu, Tanh, Sigmoid and LeakyRelu. The zero value
// does nothing.
type epilogue struct {
	bias     []float32 // of each column, or nil
	rowBias  []float32 // of each row, or nil
	activate func(block []float32)
}

// activationCost is about how many multiplications an activation takes as long as.
const activationCost = 8

// work is the cost of an epilogue over n elements.
func (e *epilogue) work(n int) int {
	if e.activate == nil {
		return 0
	}
	return n * activationCost
}

// apply finishes rows from number row on, of n columns each.
func (e *epilogue) apply(block []float32, row, n int) {
	if e.bias != nil {
		bias := e.bias[:n]
		for lo := 0; lo < len(block); lo += n {
			to := block[lo : lo+n]
			for j, v := range bias {
				to[j] += v
			}
		}
	}
	if e.rowBias != nil {
		for i, v := range e.rowBias[row : row+len(block)/n] {
			to := block[i*n : (i+1)*n]
			for j := range to {
				to[j] += v
			}
		}
	}
	if e.activate != nil {
		e.activate(block)
	}
}

// whole finishes a result that could not be finished block by block.
func (e *epilogue) whole(m *machine.Machine, o *tensor.Tensor) error {
	if e.activate == nil {
		return nil
	}
	x := tensor.Of[float32](o)
	const chunk = 1 << 14
	for lo := 0; lo < len(x); lo += chunk {
		part := x[lo:min(lo+chunk, len(x))]
		if err := m.Tick(e.work(len(part))); err != nil {
			return err
		}
		e.activate(part)
	}
	return nil
}

// Activates reports whether an operator can be the activation of a product.
func Activates(op string) bool {
	switch op {
	case "Relu", "Tanh", "Sigmoid", "LeakyRelu":
		return true
	}
	return false
}

// epilogue returns the activation that is fused into a node, which is the function of the operator itself.
func (n *Node) epilogue() epilogue {
	if n.Activation == nil {
		return epilogue{}
	}
	switch n.Activation.Op {
	case "Relu":
		return epilogue{activate: relu}
	case "Tanh":
		return epilogue{activate: activateEach(math.Tanh)}
	case "Sigmoid":
		return epilogue{activate: activateEach(sigmoid)}
	case "LeakyRelu":
		return epilogue{activate: activateEach(leakyRelu(n.Activation))}
	}
	panic("ops: no activation " + n.Activation.Op)
}

func relu(block []float32) {
	for i, v := range block {
		if v < 0 {
			block[i] = 0
		}
	}
}

func activateEach(f func(float64) float64) func([]float32) {
	return func(block []float32) {
		for i, v := range block {
			block[i] = float32(f(float64(v)))
		}
	}
}
