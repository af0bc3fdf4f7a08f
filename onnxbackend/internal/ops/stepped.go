package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Exporters write LayerNormalization and Gelu as nine and five nodes. A node with Steps stands for such nodes: it computes
// what they do in one go over the elements and rounds to float32 after each step as they do, so that the bits are theirs.

// A Steps holds the constants of the nodes that a node stands for.
type Steps struct {
	Constant float32 // LayerNormalization: what is added to the variance; Gelu: what divides the argument of erf
}

// steppedNormalization is w·(x - mean)/sqrt(variance + c) + b over the last axis, for w and b of one dimension.
func steppedNormalization(m *machine.Machine, out, x, w, b *tensor.Tensor, c float32) error {
	if err := floats32(x); err != nil {
		return err
	}
	scale, shift := tensor.Of[float32](w), tensor.Of[float32](b)
	if x.Rank() == 0 {
		return axisError(-1, 0)
	}
	last, width := x.Shape[x.Rank()-1], len(scale)
	if last != width && last != 1 {
		return fmt.Errorf("a parameter of shape %v does not fit %v", w.Shape, x.Shape)
	}
	var space [8]int
	shape := append(space[:0], x.Shape...)
	shape[len(shape)-1] = width // rows of one element broadcast to the parameters
	if err := m.Alloc(out, x.Type, shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	for lo, rows := 0, len(dst)/width; lo < rows; lo += 4 {
		if err := m.Tick(32 * width); err != nil {
			return err
		}
		var r [4][]float32
		for i := range r {
			at := min(lo+i, rows-1) * last
			r[i] = src[at : at+last]
		}
		mean, deviation := fourMoments(r[0], r[1], r[2], r[3], c)
		for i := range min(4, rows-lo) {
			normalizeRow(dst[(lo+i)*width:(lo+i+1)*width], r[i], scale, shift, mean[i], deviation[i])
		}
	}
	return nil
}

// fourMoments returns the means of four rows of one length, and the roots of their variances plus c. Each sum is one chain of
// additions; four beside each other do not wait.
func fourMoments(r0, r1, r2, r3 []float32, c float32) (mean, deviation [4]float32) {
	n := float64(len(r0))
	r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
	var s0, s1, s2, s3 float64
	for j, v := range r0 {
		s0 += float64(v)
		s1 += float64(r1[j])
		s2 += float64(r2[j])
		s3 += float64(r3[j])
	}
	m0, m1, m2, m3 := float32(s0/n), float32(s1/n), float32(s2/n), float32(s3/n)
	s0, s1, s2, s3 = 0, 0, 0, 0
	for j, v := range r0 {
		d0, d1, d2, d3 := v-m0, r1[j]-m1, r2[j]-m2, r3[j]-m3
		s0 += float64(float32(d0 * d0))
		s1 += float64(float32(d1 * d1))
		s2 += float64(float32(d2 * d2))
		s3 += float64(float32(d3 * d3))
	}
	root := func(s float64) float32 { return float32(math.Sqrt(float64(float32(s/n) + c))) }
	return [4]float32{m0, m1, m2, m3}, [4]float32{root(s0), root(s1), root(s2), root(s3)}
}

func normalizeRow(dst, row, scale, shift []float32, mean, deviation float32) {
	scale, shift = scale[:len(dst)], shift[:len(dst)]
	if len(row) != len(dst) {
		y := (row[0] - mean) / deviation
		for j, w := range scale {
			dst[j] = float32(y*w) + shift[j]
		}
		return
	}
	for j, v := range row {
		y := (v - mean) / deviation
		dst[j] = float32(y*scale[j]) + shift[j]
	}
}

// steppedGelu is x·(erf(x/c) + 1)/2.
func steppedGelu(m *machine.Machine, out, x *tensor.Tensor, c float32) error {
	if err := floats32(x); err != nil {
		return err
	}
	if err := m.Alloc(out, x.Type, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	const block = 4096 // 16 KiB, which stay in the first-level cache
	for lo := 0; lo < len(src); lo += block {
		hi := min(lo+block, len(src))
		if err := m.Tick(activationCost * (hi - lo)); err != nil {
			return err
		}
		from, to := src[lo:hi], dst[lo:hi]
		for j, v := range from {
			to[j] = v / c
		}
		kernel.Erf(to, to)
		for j, v := range from {
			to[j] = float32(v*float32(to[j]+1)) * 0.5
		}
	}
	return nil
}
