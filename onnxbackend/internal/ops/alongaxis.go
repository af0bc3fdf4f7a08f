package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// alongAxis makes a function that computes each row along an axis by itself. It gathers a row,
// computes it in place and writes it back. If together, all dimensions from the axis on count as
// one.
func alongAxis(axis int, together bool, f func(row []float64)) Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		a, ok := tensor.Axis(axis, x.Rank())
		if !ok && !(together && x.Rank() == axis) {
			return axisError(axis, x.Rank())
		}
		outer, n, inner := x.Len(), 1, 1
		if ok {
			outer, n, inner = split3(x.Shape, a)
		}
		if together {
			n, inner = n*inner, 1
		}
		return doubledLike(m, out[0], x, func(dst, src []float64) error {
			row, err := machine.Scratch[float64](m, n)
			if err != nil || n == 0 {
				return err
			}
			for o := range outer {
				for i := range inner {
					if err := m.Tick(4 * n); err != nil {
						return err
					}
					for j := range row {
						row[j] = src[(o*n+j)*inner+i]
					}
					f(row)
					for j, v := range row {
						dst[(o*n+j)*inner+i] = v
					}
				}
			}
			return nil
		})
	}
}
