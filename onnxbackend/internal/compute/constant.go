package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewConstant makes Constant. All runs share the tensor, which no operator may write to.
func NewConstant(n *Node) (Func, error) {
	t, err := constantOf(n)
	if err != nil {
		return nil, err
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		m.Share(out[0], t, t.Shape)
		return nil
	}, nil
}

// constantOf returns the value that one of the attributes holds. Sparse tensors and strings are
// errors with a way out.
func constantOf(n *Node) (*tensor.Tensor, error) {
	for _, name := range []string{"sparse_value", "value_string", "value_strings"} {
		if n.Has(name) {
			return nil, msg.Errorf("this engine does not read a constant given as %s; "+
				"make it a dense tensor of numbers", name)
		}
	}
	if a := n.find("value"); a != nil && a.Tensor != nil {
		return a.Tensor, nil
	}
	if a := n.find("value_float"); a != nil {
		return tensor.From(tensor.Float32, []float32{a.Float}), nil
	}
	if a := n.find("value_floats"); a != nil {
		return tensor.From(tensor.Float32, a.Floats, len(a.Floats)), nil
	}
	if a := n.find("value_int"); a != nil {
		return tensor.From(tensor.Int64, []int64{a.Int}), nil
	}
	if a := n.find("value_ints"); a != nil {
		return tensor.From(tensor.Int64, a.Ints, len(a.Ints)), nil
	}
	return nil, fmt.Errorf("it has none of the attributes that hold a value")
}
