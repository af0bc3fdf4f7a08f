package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewIdentity makes Identity. The output shares the memory of the input.
func NewIdentity(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		m.Share(out[0], in[0], in[0].Shape)
		return nil
	}, nil
}

// NewDropout makes Dropout, which returns its input, since the engine only runs inference. The
// second output, a mask, is true for every element, since none is dropped. Training mode is an
// error when the model is opened if it is a constant, else when it runs.
func NewDropout(n *Node) (Func, error) {
	training := fmt.Errorf("it is in training mode, and this engine only runs inference; " +
		"export the model in evaluation mode")
	trains := func(t *tensor.Tensor) bool {
		v, err := scalar(t)
		return err != nil || v != 0
	}
	if t := n.constant(2); t != nil && trains(t) {
		return nil, training
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if t := given(in, 2); t != nil && trains(t) {
			return training
		}
		m.Share(out[0], in[0], in[0].Shape)
		if len(out) < 2 {
			return nil
		}
		typ := tensor.Bool
		if n.Opset < 10 {
			typ = in[0].Type
		}
		if !typ.Float() && typ != tensor.Bool {
			return msg.Errorf("its mask would be of %v", typ)
		}
		// The mask is a constant of one element, copied with strides 0.
		one, err := converted(m, tensor.From(tensor.Float32, []float32{1}), typ)
		if err != nil {
			return err
		}
		shape := in[0].Shape
		return stridedCopy(m, out[1], one, shape, 0, shape, m.Ints(len(shape)))
	}, nil
}
