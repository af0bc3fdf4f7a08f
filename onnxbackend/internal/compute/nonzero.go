package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewNonZero makes NonZero: the indices of elements that are not zero, as int64 (dimension,
// element), in row-major order.
func NewNonZero(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		truths, err := converted(m, in[0], tensor.Bool)
		if err != nil {
			return err
		}
		v, count := tensor.Of[uint8](truths), 0
		for _, b := range v {
			count += int(b)
		}
		rank := in[0].Rank()
		if err := m.Alloc(out[0], tensor.Int64, rank, count); err != nil {
			return err
		}
		dst, place, at := tensor.Of[int64](out[0]), make([]int, rank), 0
		for _, b := range v {
			if b != 0 {
				for d, p := range place {
					dst[d*count+at] = int64(p)
				}
				at++
			}
			advance(place, in[0].Shape)
		}
		return nil
	}, nil
}
