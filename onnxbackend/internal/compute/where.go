package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewWhere makes Where: elements of input 1 where the condition holds, else of input 2. All three
// inputs are broadcast. Elements are copied as bytes, so all types are accepted.
func NewWhere(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		c, a, b := in[0], in[1], in[2]
		if c.Type != tensor.Bool {
			return msg.Errorf("its condition is of %v instead of bool", c.Type)
		}
		if err := sameType(a, b); err != nil {
			return err
		}
		shape, err := broadcastShape(m.Ints(max(a.Rank(), b.Rank()))[:0], a.Shape, b.Shape)
		if err != nil {
			return err
		}
		if shape, err = broadcastShape(m.Ints(max(len(shape), c.Rank()))[:0], shape,
			c.Shape); err != nil {
			return err
		}
		if err := allocate(m, out[0], a.Type, shape...); err != nil {
			return err
		}
		w := broadcastWalk(m, shape, c.Shape, a.Shape, b.Shape)
		n, stepC, stepA, stepB := w.row(), w.step(0), w.step(1), w.step(2)
		cond, x, y := tensor.Of[uint8](c), a.Bytes(), b.Bytes()
		dst, size := out[0].Bytes(), a.Type.Size()
		return w.rows(func(at int, from []int) error {
			for i := range n {
				src, p := x, from[1]+i*stepA
				if cond[from[0]+i*stepC] == 0 {
					src, p = y, from[2]+i*stepB
				}
				copy(dst[(at+i)*size:(at+i+1)*size], src[p*size:])
			}
			return nil
		})
	}, nil
}
