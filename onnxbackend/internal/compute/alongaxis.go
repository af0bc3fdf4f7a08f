package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// alongAxis makes a function of each row along an axis, which f replaces in place. Rows have at
// least one element, in float64. If flatten, all dimensions from the axis on count as one.
func alongAxis(axis int, flatten bool, f func(row []float64)) Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		outer, n, inner, err := spanOf(x.Shape, axis, flatten)
		if err != nil {
			return err
		}
		// The row is gathered because its elements lie inner apart. A contiguous row lets f be a
		// plain loop, and its copy costs little compared to the exponentials and powers that such
		// operators compute.
		return viaFloat64Like(m, out[0], x, func(dst, src []float64) error {
			row, err := machine.Scratch[float64](m, n)
			if err != nil || n == 0 {
				return err
			}
			for line := range outer * inner {
				if err := m.Tick(16 * n); err != nil {
					return err
				}
				first := line/inner*n*inner + line%inner
				for j := range row {
					row[j] = src[first+j*inner]
				}
				f(row)
				for j, v := range row {
					dst[first+j*inner] = v
				}
			}
			return nil
		})
	}
}

// spanOf returns the sizes before, at and after an axis. If flatten, the dimensions from the axis
// on are one.
func spanOf(shape []int, axis int, flatten bool) (outer, n, inner int, err error) {
	a, err := axisOf(axis, len(shape))
	if err != nil {
		return 0, 0, 0, err
	}
	if outer, n, inner = splitAt(shape, a); flatten {
		n, inner = n*inner, 1
	}
	return outer, n, inner, nil
}
