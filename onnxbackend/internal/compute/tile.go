package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewTile makes Tile, which repeats each axis as often as input 1 says.
func NewTile(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		repeats, err := IntsOf(in[1])
		if err != nil {
			return err
		}
		if len(repeats) != x.Rank() {
			return fmt.Errorf("%d repeats for %d dimensions", len(repeats), x.Rank())
		}
		st := tensor.Strides(x.Shape)
		var shape, dims, strides []int
		for i, r := range repeats {
			if r < 0 {
				return fmt.Errorf("a dimension cannot be repeated %d times", r)
			}
			n, ok := tensor.Count([]int{r, x.Shape[i]})
			if !ok {
				return msg.Errorf("repeats %v are too large for any memory", repeats)
			}
			shape = append(shape, n)
			// Each axis becomes two: the repeats, with stride 0, and the places.
			dims = append(dims, r, x.Shape[i])
			strides = append(strides, 0, st[i])
		}
		return stridedCopy(m, out[0], x, shape, 0, dims, strides)
	}, nil
}
