package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewMeanVarianceNormalization makes MeanVarianceNormalization: mean 0 and variance 1 over the
// elements of some axes, by default all but the channels. It passes over the input three times: for
// the mean, the variance and the result.
func NewMeanVarianceNormalization(n *Node) (Func, error) {
	axes := n.Ints("axes")
	if axes == nil {
		axes = []int{0, 2, 3}
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		mark, err := marked(nil, axes, in[0].Rank())
		if err != nil {
			return err
		}
		w := foldOf(m, in[0].Shape, mark)
		n, step := w.row(), w.step(0)
		return viaFloat64Like(m, out[0], in[0], func(dst, src []float64) error {
			count := float64(w.count)
			mean, err := machine.Scratch[float64](m, len(src)/max(1, w.count))
			if err != nil {
				return err
			}
			variance, err := machine.Scratch[float64](m, len(mean))
			if err != nil {
				return err
			}
			clear(mean)
			clear(variance)
			each := func(f func(i, group int)) error {
				return w.rows(func(at int, to []int) error {
					for i := range n {
						f(at+i, to[0]+i*step)
					}
					return m.Tick(4 * n)
				})
			}
			if err := each(func(i, g int) { mean[g] += src[i] / count }); err != nil {
				return err
			}
			if err := each(func(i, g int) {
				variance[g] += (src[i] - mean[g]) * (src[i] - mean[g]) / count
			}); err != nil {
				return err
			}
			return each(func(i, g int) {
				// ONNX adds 1e-9 to the standard deviation, not to the variance.
				dst[i] = (src[i] - mean[g]) / (math.Sqrt(variance[g]) + 1e-9)
			})
		})
	}, nil
}
