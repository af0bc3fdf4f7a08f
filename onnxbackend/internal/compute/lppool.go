package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewLpPool makes LpPool.
func NewLpPool(n *Node) (Func, error) { return buildLpPool(n, false) }

// NewGlobalLpPool makes GlobalLpPool, whose window is the whole picture.
func NewGlobalLpPool(n *Node) (Func, error) { return buildLpPool(n, true) }

// buildLpPool makes LpPool and GlobalLpPool: the p-th root of the sum of p-th powers of the
// absolute elements in each window. Padding counts as zero.
func buildLpPool(n *Node, global bool) (Func, error) {
	win, p := newWindow(n), float64(n.Int("p", 2))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, win := in[0], win
		if global {
			win = window{kernel: x.Shape[min(2, x.Rank()):]}
		}
		if !x.Type.Float() {
			return typeError(x.Type)
		}
		at, err := win.overPictures(x)
		if err != nil {
			return err
		}
		from, err := at.table(m)
		if err != nil {
			return err
		}
		src, err := asFloat64(m, x)
		if err != nil {
			return err
		}
		norm := func(_ int, picture, row []float64) {
			clear(row)
			for t, q := range from {
				if q >= 0 {
					row[t%len(row)] += math.Pow(math.Abs(picture[q]), p)
				}
			}
			for j, v := range row {
				row[j] = math.Pow(v, 1/p)
			}
		}
		shape := append([]int{x.Shape[0], x.Shape[1]}, at.out...)
		return viaFloat64(m, out[0], x.Type, shape, func(dst []float64) error {
			return eachPlane(m, at, from, 16, src, dst, norm)
		})
	}, nil
}
