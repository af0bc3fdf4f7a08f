package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewGatherND makes GatherND: the last dimension of the indices is a tuple that addresses an
// element or a slice of the data. The first batch_dims dimensions of both inputs correspond.
func NewGatherND(n *Node) (Func, error) {
	batch := n.Int("batch_dims", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, at := in[0], in[1]
		if batch >= min(x.Rank(), at.Rank()) ||
			!slices.Equal(x.Shape[:batch], at.Shape[:batch]) {
			return msg.Errorf("shapes %v and %v do not share %d batch dimensions", x.Shape,
				at.Shape, batch)
		}
		size, to, err := tuples(at, x.Shape[batch:])
		if err != nil {
			return err
		}
		// lead is the shape of the list of tuples, depth their length.
		lead, depth := at.Shape[:at.Rank()-1], at.Shape[at.Rank()-1]
		// per and stride count the tuples and elements of one of the batch.
		per, stride := elements(lead[batch:]), elements(x.Shape[batch:])
		if err := allocate(m, out[0], x.Type, slices.Concat(lead,
			x.Shape[batch+depth:])...); err != nil {
			return err
		}
		src, dst, bytes := x.Bytes(), out[0].Bytes(), size*x.Type.Size()
		for j := range elements(lead) {
			p, err := to(j)
			if err != nil {
				return err
			}
			copy(dst[j*bytes:(j+1)*bytes], src[(j/per*stride+p)*x.Type.Size():])
		}
		return nil
	}, nil
}
