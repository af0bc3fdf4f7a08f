package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newLpPool(n *Node) (Func, error) { return buildLpPool(n, false) }

func newGlobalLpPool(n *Node) (Func, error) { return buildLpPool(n, true) }

// buildLpPool makes LpPool and GlobalLpPool: the p-th root of the sum of p-th powers of what a
// window sees.
func buildLpPool(n *Node, global bool) (Func, error) {
	win, p := newWindow(n), float64(n.Int("p", 2))
	if p < 1 {
		n.fail("attribute p is %v", p)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, win := in[0], win
		if x.Rank() < 3 {
			return fmt.Errorf("shape %v has no spatial dimensions", x.Shape)
		}
		if global {
			win = window{kernel: x.Shape[2:]}
		}
		if !x.Type.Float() {
			return typeError(x.Type)
		}
		if win.kernel == nil {
			return fmt.Errorf("kernel_shape is missing")
		}
		at, err := win.over(x.Shape[2:])
		if err != nil {
			return err
		}
		from, err := at.table(m)
		if err != nil {
			return err
		}
		src, err := doubles(m, x)
		if err != nil {
			return err
		}
		size, positions := product1(at.in), at.positions()
		return doubled(m, out[0], x.Type, append([]int{x.Shape[0], x.Shape[1]}, at.out...),
			func(dst []float64) error {
				for c := range x.Shape[0] * x.Shape[1] {
					if err := m.Tick(16 * len(from)); err != nil {
						return err
					}
					picture, row := src[c*size:(c+1)*size], dst[c*positions:(c+1)*positions]
					clear(row)
					for t, q := range from {
						if q >= 0 {
							row[t%positions] += math.Pow(math.Abs(picture[q]), p)
						}
					}
					for j, v := range row {
						row[j] = math.Pow(v, 1/p)
					}
				}
				return nil
			})
	}, nil
}
