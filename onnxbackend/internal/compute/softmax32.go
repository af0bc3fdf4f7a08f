package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// softmaxBlock is about how many elements are exponentiated at a time. They stay in the first-level
// cache.
const softmaxBlock = 4096

// softmax32 is softmax in float32, with the kernel's exponential and sums in float64. It
// exponentiates blocks of rows, since one call of the kernel for a short row would take most of the
// time of self-attention.
func softmax32(m *machine.Machine, dst, src []float32, outer, n, inner int) error {
	if n == 0 || inner == 0 {
		return nil
	}
	if inner > 1 {
		return softmaxColumns(m, dst, src, outer, n, inner)
	}
	rows := max(1, softmaxBlock/n)
	for lo := 0; lo < outer; lo += rows {
		hi := min(lo+rows, outer)
		block := dst[lo*n : hi*n]
		if err := m.Tick(4 * len(block)); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			subtractTop(dst[i*n:(i+1)*n], src[i*n:(i+1)*n])
		}
		kernel.Exp(block, block)
		for i := lo; i < hi; i++ {
			divideBySum(dst[i*n : (i+1)*n])
		}
	}
	return nil
}

// subtractTop writes src less its largest element. A NaN stays NaN, and so does the sum that
// includes it.
func subtractTop(dst, src []float32) {
	top := src[0]
	for _, v := range src {
		if v > top {
			top = v
		}
	}
	dst = dst[:len(src)]
	for j, v := range src {
		dst[j] = v - top
	}
}

// divideBySum scales a row to a sum of 1. Four sums run side by side, because a single one would
// wait for each addition to finish.
func divideBySum(row []float32) {
	var s0, s1, s2, s3 float64
	rest := row
	for ; len(rest) >= 4; rest = rest[4:] {
		s0 += float64(rest[0])
		s1 += float64(rest[1])
		s2 += float64(rest[2])
		s3 += float64(rest[3])
	}
	for _, v := range rest {
		s0 += float64(v)
	}
	r := 1 / (s0 + s1 + (s2 + s3))
	for j, v := range row {
		row[j] = float32(float64(v) * r)
	}
}

// softmaxColumns is softmax32 along an axis whose elements lie inner apart. It computes inner rows
// side by side, so that memory is read in order.
func softmaxColumns(m *machine.Machine, dst, src []float32, outer, n, inner int) error {
	top, err := machine.Scratch[float32](m, inner)
	if err != nil {
		return err
	}
	sum, err := machine.Scratch[float64](m, inner)
	if err != nil {
		return err
	}
	for o := range outer {
		if err := m.Tick(4 * inner); err != nil {
			return err
		}
		x, y := src[o*n*inner:(o+1)*n*inner], dst[o*n*inner:(o+1)*n*inner]
		// The largest element of each row comes first, as in subtractTop.
		fill(top, float32(math.Inf(-1)))
		for j := range n {
			for i, v := range x[j*inner : (j+1)*inner] {
				if v > top[i] {
					top[i] = v
				}
			}
		}
		clear(sum)
		for j := range n {
			if err := m.Tick(4 * inner); err != nil {
				return err
			}
			row := y[j*inner : (j+1)*inner]
			for i, v := range x[j*inner : (j+1)*inner] {
				row[i] = v - top[i]
			}
			kernel.Exp(row, row)
			for i, v := range row {
				sum[i] += float64(v)
			}
		}
		for i, s := range sum {
			sum[i] = 1 / s
		}
		for j := range n {
			row := y[j*inner : (j+1)*inner]
			for i, r := range sum {
				row[i] = float32(float64(row[i]) * r)
			}
		}
	}
	return nil
}
