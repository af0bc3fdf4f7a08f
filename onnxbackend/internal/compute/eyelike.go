package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewEyeLike makes EyeLike: a matrix of the input's shape with ones on diagonal k, which counts
// upward from the main one, and zeros elsewhere.
func NewEyeLike(n *Node) (Func, error) {
	k, to := n.Int("k", 0), tensor.Type(n.Int("dtype", 0))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		if in[0].Rank() != 2 {
			return msg.Errorf("shape %v is not a matrix", in[0].Shape)
		}
		eye, err := temporary(m, tensor.Float32, in[0].Shape...)
		if err != nil {
			return err
		}
		v, cols := tensor.Of[float32](eye), in[0].Shape[1]
		clear(v)
		for r := range in[0].Shape[0] {
			if c := r + k; c >= 0 && c < cols {
				v[r*cols+c] = 1
			}
		}
		typ := to
		if typ == tensor.Undefined {
			typ = in[0].Type
		}
		return Convert(m, out[0], eye, typ)
	}, nil
}
