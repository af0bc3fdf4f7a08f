package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newIf runs the branch that its condition chooses, and only that one: the other may be impossible,
// such as the Squeeze of an axis that is longer than one.
func newIf(n *Node) (Func, error) {
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

// body returns a graph inside of the node that takes and makes so many tensors.
func (n *Node) body(name string, inputs, outputs int) *Body {
	b := n.Bodies[name]
	switch {
	case b == nil:
		n.fail("it has no %s", name)
	case b.Inputs != inputs || len(b.Outputs) != outputs:
		n.fail("its %s takes %d inputs and makes %d outputs instead of %d and %d", name, b.Inputs,
			len(b.Outputs), inputs, outputs)
	}
	return b
}

func truthOf(c *tensor.Tensor) (bool, error) {
	if c.Type != tensor.Bool || c.Len() != 1 {
		return false, fmt.Errorf("a condition is of %v with shape %v instead of one bool", c.Type,
			c.Shape)
	}
	return tensor.Of[uint8](c)[0] != 0, nil
}
