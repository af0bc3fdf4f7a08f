package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// alongAxis makes a function that computes rows along an axis, each by itself. A row is gathered, computed in
// place and written back. With together, all dimensions from the axis on are one.
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

// newHardmax makes the first of the largest elements 1 and all others 0.
func newHardmax(n *Node) (Func, error) {
	axis, together := softmaxAxes(n)
	return alongAxis(axis, together, func(row []float64) {
		best := 0
		for j, v := range row {
			if v > row[best] {
				best = j
			}
		}
		clear(row)
		row[best] = 1
	}), nil
}

// newLpNormalization divides by the sum of absolute values or the root of that of squares; zeros stay zeros.
func newLpNormalization(n *Node) (Func, error) {
	p := n.Int("p", 2)
	if p != 1 && p != 2 {
		n.fail("attribute p is %d, neither 1 nor 2", p)
	}
	return alongAxis(n.Int("axis", -1), false, func(row []float64) {
		sum := 0.0
		for _, v := range row {
			if p == 1 {
				sum += math.Abs(v)
			} else {
				sum += v * v
			}
		}
		if p == 2 {
			sum = math.Sqrt(sum)
		}
		for j := range row {
			if sum != 0 {
				row[j] /= sum
			}
		}
	}), nil
}

// newLRN divides by (bias + alpha/size · sum of squares)^beta over size neighbouring channels (Krizhevsky et al.,
// 2012, section 3.3).
func newLRN(n *Node) (Func, error) {
	size, alpha, beta, bias := n.Int("size", 0), float64(n.Float("alpha", 1e-4)), float64(n.Float("beta", 0.75)), float64(n.Float("bias", 1))
	if size < 1 {
		n.fail("attribute size is %d", size)
	}
	return alongAxis(1, false, func(row []float64) {
		before, behind := (size-1)/2, size/2
		was := append([]float64{}, row...)
		sum := 0.0
		for j := range min(behind, len(row)) {
			sum += was[j] * was[j]
		}
		for j := range row {
			if k := j + behind; k < len(was) {
				sum += was[k] * was[k]
			}
			row[j] = was[j] / math.Pow(bias+alpha/float64(size)*max(0, sum), beta)
			if k := j - before; k >= 0 {
				sum -= was[k] * was[k]
			}
		}
	}), nil
}

// newMeanVarianceNormalization makes mean 0 and variance 1 over some axes together.
func newMeanVarianceNormalization(n *Node) (Func, error) {
	axes := n.Ints("axes")
	if axes == nil {
		axes = []int{0, 2, 3}
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		mark, err := marked(axes, in[0].Rank())
		if err != nil {
			return err
		}
		w := foldOf(in[0].Shape, mark)
		last := len(w.dims) - 1
		n, step := w.dims[last], w.strides[last]
		return doubledLike(m, out[0], in[0], func(dst, src []float64) error {
			count := float64(w.count)
			mean, err := machine.Scratch[float64](m, len(src)/max(1, w.count))
			if err != nil {
				return err
			}
			spread, err := machine.Scratch[float64](m, len(mean))
			if err != nil {
				return err
			}
			clear(mean)
			clear(spread)
			each := func(f func(i, group int)) error {
				return w.rows(func(from, to int) error {
					for i := range n {
						f(from+i, to+i*step)
					}
					return m.Tick(4 * n)
				})
			}
			if err := each(func(i, g int) { mean[g] += src[i] / count }); err != nil {
				return err
			}
			if err := each(func(i, g int) { spread[g] += (src[i] - mean[g]) * (src[i] - mean[g]) / count }); err != nil {
				return err
			}
			return each(func(i, g int) { dst[i] = (src[i] - mean[g]) / (math.Sqrt(spread[g]) + 1e-9) })
		})
	}, nil
}

// newReverseSequence turns the beginning of each sequence of a batch round.
func newReverseSequence(n *Node) (Func, error) {
	batch, time := n.Int("batch_axis", 1), n.Int("time_axis", 0)
	if batch+time != 1 || batch*time != 0 {
		n.fail("batch_axis %d and time_axis %d are not 0 and 1", batch, time)
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Rank() < 2 {
			return fmt.Errorf("shape %v has no sequences", x.Shape)
		}
		lengths, err := intsOf(in[1])
		if err != nil {
			return err
		}
		if len(lengths) != x.Shape[batch] {
			return fmt.Errorf("%d lengths for a batch of %d", len(lengths), x.Shape[batch])
		}
		if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		if err := m.Tick(x.Len()); err != nil {
			return err
		}
		st := [2]int{x.Shape[1], 1}
		row := product1(x.Shape[2:]) * x.Type.Size()
		src, dst := bytesOf(x), bytesOf(out[0])
		for b, n := range lengths {
			if n < 0 || n > x.Shape[time] {
				return fmt.Errorf("a sequence of %d in a time of %d", n, x.Shape[time])
			}
			for t := range x.Shape[time] {
				from := t
				if t < n {
					from = n - 1 - t
				}
				copy(dst[(b*st[batch]+t*st[time])*row:][:row], src[(b*st[batch]+from*st[time])*row:])
			}
		}
		return nil
	}, nil
}
