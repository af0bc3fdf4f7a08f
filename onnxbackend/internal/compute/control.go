package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewIf makes If. It runs only the branch that its condition chooses: the other one may be
// impossible, such as the Squeeze of an axis that has more than one place.
func NewIf(n *Node) (Func, error) {
	yes, no := n.body("then_branch", 0, n.Outputs), n.body("else_branch", 0, n.Outputs)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		c, err := truthOf(in[0])
		if err != nil {
			return err
		}
		if c {
			return yes.Run(m, nil, in, out)
		}
		return no.Run(m, nil, in, out)
	}, nil
}

// body returns a graph inside of the node. It fails if the graph is missing or does not have these
// numbers of inputs and outputs.
func (n *Node) body(name string, inputs, outputs int) *Body {
	b := n.Bodies[name]
	switch {
	case b == nil:
		n.fail("it has no %s", name)
	case b.Inputs != inputs || len(b.Outputs) != outputs:
		n.fail("its %s has %d inputs and %d outputs instead of %d and %d", name, b.Inputs,
			len(b.Outputs), inputs, outputs)
	}
	return b
}

// truthOf returns the value of a bool tensor of one element.
func truthOf(c *tensor.Tensor) (bool, error) {
	if c.Type != tensor.Bool || c.Len() != 1 {
		return false, msg.Errorf("a condition is of %v with shape %v instead of one bool", c.Type,
			c.Shape)
	}
	return tensor.Of[uint8](c)[0] != 0, nil
}
