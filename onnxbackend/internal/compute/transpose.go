package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewTranspose makes Transpose. If only dimensions of one place move, the output shares the memory
// of the input.
func NewTranspose(n *Node) (Func, error) {
	perm := n.Ints("perm")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		p, err := Permutation(perm, x.Rank())
		if err != nil {
			return err
		}
		st := strides(m, x.Shape)
		dims, from := m.Ints(len(p)), m.Ints(len(p))
		for i, a := range p {
			dims[i], from[i] = x.Shape[a], st[a]
		}
		if sameOrder(x.Shape, p) {
			m.Share(out[0], x, dims)
			return nil
		}
		return stridedCopy(m, out[0], x, dims, 0, dims, from)
	}, nil
}

// sameOrder reports whether a permutation only moves dimensions of one place, which keeps the
// elements in order.
func sameOrder(shape, perm []int) bool {
	last := -1
	for _, a := range perm {
		if shape[a] == 1 {
			continue
		}
		if a < last {
			return false
		}
		last = a
	}
	return true
}

// Permutation returns perm checked against the rank, or the reverse order if it is nil.
func Permutation(perm []int, rank int) ([]int, error) {
	if perm == nil {
		p := make([]int, rank)
		for i := range p {
			p[i] = rank - 1 - i
		}
		return p, nil
	}
	seen := make([]bool, rank)
	for _, a := range perm {
		if len(perm) != rank || a < 0 || a >= rank || seen[a] {
			return nil, msg.Errorf("perm %v does not permute %d dimensions", perm, rank)
		}
		seen[a] = true
	}
	return perm, nil
}
