package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newWhere(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		c, a, b := in[0], in[1], in[2]
		if c.Type != tensor.Bool {
			return fmt.Errorf("its condition is of %v instead of bool", c.Type)
		}
		if a.Type != b.Type {
			return mixedError(a.Type, b.Type)
		}
		shape, err := broadcastShape(m.Ints(max(a.Rank(), b.Rank()))[:0], a.Shape, b.Shape)
		if err != nil {
			return err
		}
		if shape, err = broadcastShape(m.Ints(max(len(shape), c.Rank()))[:0], shape,
			c.Shape); err != nil {
			return err
		}
		if err := m.Alloc(out[0], a.Type, shape...); err != nil {
			return err
		}
		if err := m.Tick(out[0].Len()); err != nil {
			return err
		}
		w := newWalk(m, shape, c.Shape, a.Shape, b.Shape)
		last := len(w.dims) - 1
		cond, x, y, dst, size := tensor.Of[uint8](c), a.Bytes(), b.Bytes(), out[0].Bytes(),
			a.Type.Size()
		return w.rows(func(at int, from []int) error {
			for i := range w.dims[last] {
				src, p := x, from[1]+i*w.strides[1][last]
				if cond[from[0]+i*w.strides[0][last]] == 0 {
					src, p = y, from[2]+i*w.strides[2][last]
				}
				copy(dst[(at+i)*size:(at+i+1)*size], src[p*size:])
			}
			return nil
		})
	}, nil
}
