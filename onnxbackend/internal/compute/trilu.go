package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewTrilu makes Trilu: the triangle of each matrix above diagonal k (upper), or below it, with
// zeros elsewhere. k is input 1, by default 0.
func NewTrilu(n *Node) (Func, error) {
	upper := n.Int("upper", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		k, err := optionalInt(in, 1, 0)
		if err != nil {
			return err
		}
		if x.Rank() < 2 {
			return fmt.Errorf("a tensor of %d dimensions has no triangle", x.Rank())
		}
		if err := allocate(m, out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		dst, size := out[0].Bytes(), x.Type.Size()
		copy(dst, x.Bytes())
		rows, cols := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1]
		for r := 0; r*cols*size < len(dst); r++ {
			// edge is the first column of the upper triangle in this row.
			edge := max(0, min(cols, r%rows+k))
			row := dst[r*cols*size : (r+1)*cols*size]
			if upper {
				clear(row[:edge*size])
			} else {
				clear(row[min(cols, max(0, r%rows+k+1))*size:])
			}
		}
		return nil
	}, nil
}
