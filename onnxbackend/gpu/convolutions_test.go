//go:build gpu

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// TestConvolutions compares the kernels of convolutions with sums in float64: windows of one place,
// strides, dilations and pads of all sides; parts; sources, maps and places that are primes, or one
// more or less than a tile.
func TestConvolutions(t *testing.T) {
	p, r := processorFor(t), rand.New(rand.NewPCG(17, 17))
	window := func(in, kernel, strides, dilations []int, pads ...int) compute.Geometry {
		g := compute.Geometry{In: in, Kernel: kernel, Strides: strides, Dilations: dilations,
			Pads: pads, Out: make([]int, 2)}
		for i := range 2 {
			g.Out[i] = (in[i]+pads[i]+pads[i+2]-(kernel[i]-1)*dilations[i]-1)/strides[i] + 1
		}
		return g
	}
	one := []int{1, 1}
	for _, v := range []convolution{
		{1, 1, 9, 1, window([]int{5, 7}, []int{3, 3}, one, one, 1, 1, 1, 1)},
		{2, 3, 65, 1, window([]int{11, 9}, []int{7, 5}, []int{2, 1}, one, 3, 0, 2, 1)},
		{3, 8, 64, 2, window([]int{6, 7}, []int{3, 2}, one, []int{2, 1}, 0, 1, 1, 0)},
		{2, 20, 130, 1, window([]int{8, 8}, []int{2, 2}, []int{2, 2}, one, 0, 0, 0, 0)},
		{3, 17, 129, 1, window([]int{6, 6}, one, one, one, 0, 0, 0, 0)},
		{2, 36, 127, 3, window([]int{4, 9}, one, one, one, 0, 0, 0, 0)},
		{2, 12, 31, 1, window([]int{5, 9}, one, []int{2, 2}, one, 0, 0, 0, 0)},
		{1, 4, 63, 1, window([]int{13, 13}, []int{3, 3}, one, one, 1, 1, 1, 1)},
		{2, 1, 1, 9, window([]int{7, 6}, []int{7, 7}, one, one, 3, 3, 3, 3)},
		{2, 1, 2, 5, window([]int{9, 13}, []int{3, 5}, []int{2, 2}, []int{1, 2}, 1, 4, 0, 3)},
	} {
		x := normal(r, v.pictures, v.parts*v.sources, v.In[0], v.In[1])
		w := normal(r, v.parts*v.maps, v.sources, v.Kernel[0], v.Kernel[1])
		want := v.inFloat64(tensor.Of[float32](x), tensor.Of[float32](w))
		names := []string{"narrow", "patches64", "patches128"}
		if name, _ := v.kernel(); name[:2] == "po" {
			names = append(names, "pointwise64", "pointwise128")
		}
		for _, name := range names {
			if d := apart(v.onDevice(t, p, name, x, w), want); !(d <= 1e-5) {
				t.Errorf("%s of %+v is off by %g of the largest element", name, v, d)
			}
		}
	}
}

// inFloat64 returns a convolution (picture, part, map, place).
func (v *convolution) inFloat64(x, w []float32) []float64 {
	var y []float64
	height, width := v.In[0], v.In[1]
	for row := range v.pictures * v.parts * v.maps {
		picture, row := row/(v.parts*v.maps), row%(v.parts*v.maps)
		for place := range v.Out[0] * v.Out[1] {
			sum := 0.0
			for d := range v.sources * v.Kernel[0] * v.Kernel[1] {
				source, tap := d/(v.Kernel[0]*v.Kernel[1]), d%(v.Kernel[0]*v.Kernel[1])
				i := place/v.Out[1]*v.Strides[0] + tap/v.Kernel[1]*v.Dilations[0] - v.Pads[0]
				j := place%v.Out[1]*v.Strides[1] + tap%v.Kernel[1]*v.Dilations[1] - v.Pads[1]
				if i >= 0 && j >= 0 && i < height && j < width {
					channel := (picture*v.parts+row/v.maps)*v.sources + source
					sum += float64(x[(channel*height+i)*width+j]) *
						float64(w[row*v.sources*v.Kernel[0]*v.Kernel[1]+d])
				}
			}
			y = append(y, sum)
		}
	}
	return y
}

// onDevice returns a convolution that a kernel computes.
func (v *convolution) onDevice(
	t *testing.T, on *processor, name string, x, w *tensor.Tensor,
) []float64 {
	t.Helper()
	j := &job{p: on}
	defer j.close()
	n := v.pictures * v.parts * v.maps * v.Out[0] * v.Out[1]
	q := product{m: v.maps, n: v.pictures * v.Out[0] * v.Out[1], batch: v.parts}
	workgroups := q.tiles(sideOf(name))
	if name == "narrow" {
		workgroups = v.fours()
	} else {
		w = v.rows(w)
	}
	from := must.Get(j.upload(bytesOf(tensor.Of[float32](x))))(t)
	by := must.Get(j.upload(bytesOf(tensor.Of[float32](w))))(t)
	to := must.Get(j.keep(on.memory.alloc(4 * n)))(t)
	with := v.params(function{}, nil)
	must.Do(t, on.dispatch(&j.record, name, with, workgroups, 1, to, from, by))
	values, y := make([]float32, n), make([]float64, n)
	must.Do(t, on.downloadFloats(t.Context(), &j.record, []*buffer{to}, [][]float32{values}))
	for i, v := range values {
		y[i] = float64(v)
	}
	return y
}
