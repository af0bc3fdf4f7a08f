package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newIf runs the branch that its condition chooses, and only that one: the other may be impossible, such as
// the Squeeze of an axis that is longer than one. Inputs after the condition are what the branches read of
// the graph around them.
func newIf(n *Node) (Func, error) {
	yes, no := n.Bodies["then_branch"], n.Bodies["else_branch"]
	if yes == nil || no == nil {
		n.fail("it has no then_branch or no else_branch")
		return nil, nil
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		c := in[0]
		if c.Type != tensor.Bool || c.Len() != 1 {
			return fmt.Errorf("its condition is of %v with shape %v instead of one bool", c.Type, c.Shape)
		}
		if tensor.Of[uint8](c)[0] != 0 {
			return yes(m, in, out)
		}
		return no(m, in, out)
	}, nil
}
