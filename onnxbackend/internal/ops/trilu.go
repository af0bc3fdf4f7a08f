package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newTrilu(n *Node) (Func, error) {
	upper := n.Int("upper", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, k := in[0], 0
		if t := given(in, 1); t != nil {
			var err error
			if k, err = intOf(t); err != nil {
				return err
			}
		}
		if x.Rank() < 2 {
			return fmt.Errorf("a tensor of %d dimensions has no triangle", x.Rank())
		}
		if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		dst, size := bytesOf(out[0]), x.Type.Size()
		copy(dst, bytesOf(x))
		rows, cols := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1]
		for r := 0; r*cols*size < len(dst); r++ {
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
