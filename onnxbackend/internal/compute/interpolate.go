package compute

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// source returns the coordinate in the input that corresponds to place j of the result. The
// formulas are those of attribute coordinate_transformation_mode in the ONNX specification.
func (r *resizing) source(p along, j int) float64 {
	at, in, side := float64(j), float64(p.in), p.scale*float64(p.in)
	switch r.coordinates {
	case "asymmetric":
		return at / p.scale
	case "align_corners":
		if side == 1 {
			return 0
		}
		return at * (in - 1) / (side - 1)
	case "tf_crop_and_resize":
		if side == 1 {
			return (p.start + p.end) / 2 * (in - 1)
		}
		return p.start*(in-1) + at*(p.end-p.start)*(in-1)/(side-1)
	case "pytorch_half_pixel":
		if side == 1 {
			return -0.5
		}
	case "half_pixel_symmetric":
		return in/2*(1-float64(p.out)/side) + (at+0.5)/p.scale - 0.5
	}
	return (at+0.5)/p.scale - 0.5
}

// resample fills next, which is allocated, with x resized along one axis.
func (r *resizing) resample(m *machine.Machine, next, x *tensor.Tensor, axis int, p along) error {
	if next.Len() == 0 {
		return nil
	}
	if r.mode == "nearest" {
		// Mode nearest selects places, so it applies to any type.
		places := make([]int, p.out)
		for j := range places {
			places[j] = max(0, min(p.in-1, int(r.round(r.source(p, j)))))
		}
		GatherPlaces(next, x, axis, places)
		return m.Tick(next.Len())
	}
	if x.Type == tensor.Float64 {
		return blend[float64](m, r, next, x, axis, p)
	}
	return blend[float32](m, r, next, x, axis, p)
}

// round returns the pixel that mode nearest reads at a coordinate.
func (r *resizing) round(at float64) float64 {
	switch r.nearest {
	case "floor":
		return math.Floor(at)
	case "ceil":
		return math.Ceil(at)
	case "round_prefer_ceil":
		return math.Floor(at + 0.5)
	}
	return math.Ceil(at - 0.5)
}

// blend fills next with weighted sums of places of x along an axis. Weights are computed in float64
// and rounded to the type of the elements.
func blend[T float32 | float64](
	m *machine.Machine, r *resizing, next, x *tensor.Tensor, axis int, p along,
) error {
	outer, n, inner := splitAt(x.Shape, axis)
	src, dst := tensor.Of[T](x), tensor.Of[T](next)
	var weights []float64
	for j := range p.out {
		var first int
		first, weights = r.weights(weights[:0], p, r.source(p, j))
		if err := m.Tick(outer * inner * len(weights)); err != nil {
			return err
		}
		for o := range outer {
			to := dst[(o*p.out+j)*inner:][:inner]
			clear(to)
			for i, w := range weights {
				// Places outside of the input repeat its first or last one.
				from := src[(o*n+max(0, min(n-1, first+i)))*inner:][:inner]
				for c, v := range from {
					to[c] += T(w) * v
				}
			}
		}
	}
	return nil
}

// weights returns the first of the places around a coordinate, which may lie outside, and their
// weights. With antialias, a result smaller than the input spreads them over all places that an
// output place covers.
func (r *resizing) weights(w []float64, p along, at float64) (first int, _ []float64) {
	// reach is the distance at which the kernel becomes zero.
	reach, kernel := 1.0, func(d float64) float64 { return max(0, 1-d) }
	if r.mode == "cubic" {
		reach, kernel = 2, func(d float64) float64 { return cubicKernel(d, r.cubic) }
	}
	shrink := 1.0
	if r.antialias {
		shrink = min(1, p.scale)
	}
	low := math.Floor(at)
	start := math.Floor(-reach/shrink) + 1
	sum := 0.0
	// The places lie symmetrically around the coordinate.
	for i := start; i < 2-start; i++ {
		v := kernel(math.Abs(low+i-at) * shrink)
		if r.exclude && (low+i < 0 || low+i >= float64(p.in)) {
			v = 0
		}
		sum += v
		w = append(w, v)
	}
	// Weights that were widened or excluded no longer sum to 1.
	if r.antialias || r.exclude {
		for i := range w {
			w[i] /= sum
		}
	}
	return int(low + start), w
}

// cubicKernel is the kernel of cubic convolution (R. Keys, "Cubic Convolution Interpolation for
// Digital Image Processing", 1981, equation 4) at distance d.
func cubicKernel(d, a float64) float64 {
	switch {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}
