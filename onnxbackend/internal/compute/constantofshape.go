package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Filling returns the element that ConstantOfShape repeats: a tensor of one element.
func (n *Node) Filling() *tensor.Tensor {
	if a := n.find("value"); a != nil && a.Tensor != nil {
		return a.Tensor
	}
	return tensor.From(tensor.Float32, []float32{0}, 1)
}

// NewConstantOfShape makes ConstantOfShape: a tensor of the shape in input 0 that repeats attribute
// value, a tensor of one element, by default float32 0.
func NewConstantOfShape(n *Node) (Func, error) {
	value := n.Filling()
	if value.Len() != 1 {
		return nil, msg.Errorf("attribute value has shape %v instead of one element", value.Shape)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		shape, err := IntsOf(in[0])
		if err != nil {
			return err
		}
		return stridedCopy(m, out[0], value, shape, 0, shape, make([]int, len(shape)))
	}, nil
}
