package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Models in float64 are rare: their normalisations are written once, plainly.

// normalize64 makes (x - mean)·r·scale + bias for runs of size elements with their own mean and r =
// 1/√(variance + epsilon). at returns which scale and bias belong to an element. With rms the mean
// counts as 0. moments receive mean and r; there may be fewer.
func normalize64(
	m *machine.Machine, out, x *tensor.Tensor, scale, bias []float64, size int, epsilon float64,
	rms bool, at func(i int) int, moments ...*tensor.Tensor,
) error {
	if err := m.Alloc(out, x.Type, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float64](x), tensor.Of[float64](out)
	for lo := 0; lo < len(src); lo += size {
		if err := m.Tick(8 * size); err != nil {
			return err
		}
		mean, variance := 0.0, 0.0
		if !rms {
			for _, v := range src[lo : lo+size] {
				mean += v / float64(size)
			}
		}
		for _, v := range src[lo : lo+size] {
			variance += (v - mean) * (v - mean) / float64(size)
		}
		r := 1 / math.Sqrt(variance+epsilon)
		for i := lo; i < lo+size; i++ {
			dst[i] = (src[i] - mean) * r * scale[at(i)]
			if bias != nil {
				dst[i] += bias[at(i)]
			}
		}
		for i, v := range []float64{mean, r} {
			if i < len(moments) {
				tensor.Of[float32](moments[i])[lo/size] = float32(v)
			}
		}
	}
	return nil
}

// batch64 normalises with stored moments. in holds data, scale, bias, mean and variance.
func batch64(
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, channels, inner int,
	epsilon float64,
) error {
	if err := m.Alloc(out, in[0].Type, in[0].Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float64](in[0]), tensor.Of[float64](out)
	var p [5][]float64
	for i, t := range in {
		p[i] = tensor.Of[float64](t)
	}
	return inChunks(m, len(src), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := i / inner % channels
			dst[i] = (src[i]-p[3][c])/math.Sqrt(p[4][c]+epsilon)*p[1][c] + p[2][c]
		}
	})
}

// layer64 normalises over the last dimensions, which have a shape. out holds the result, and
// perhaps the mean and 1/√(variance + epsilon).
func layer64(
	m *machine.Machine, out []*tensor.Tensor, x, scale, bias *tensor.Tensor, shape []int,
	epsilon float64, rms bool,
) error {
	s, err := parameterFor[float64](m, scale, shape)
	if err != nil {
		return err
	}
	b, err := parameterFor[float64](m, bias, shape)
	if err != nil {
		return err
	}
	size := elements(shape)
	return normalize64(m, out[0], x, s, b, size, epsilon, rms, func(i int) int { return i % size },
		out[1:]...)
}
