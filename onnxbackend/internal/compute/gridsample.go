package compute

import (
	"math"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// sampling is how GridSample reads pictures between pixels and beyond their sides.
type sampling struct {
	// reach is the number of pixels read to each side: 0 for nearest, 1 for linear, 2 for cubic.
	reach int
	// beyond is attribute padding_mode: zeros, border or reflection.
	beyond string
	// corners maps -1 and 1 to the centres of the outer pixels instead of their edges.
	corners bool
}

// NewGridSample makes GridSample. It reads pictures (n, channel, spatial...) at the points (n,
// place..., dimension) of a grid, whose coordinates go from -1 to 1, the last dimension first
// (Jaderberg et al., "Spatial Transformer Networks", 2015, section 3.3).
func NewGridSample(n *Node) (Func, error) {
	s := sampling{beyond: n.Text("padding_mode", "zeros"), corners: n.Int("align_corners", 0) != 0}
	// Before version 20, the modes are named for pictures: bilinear and bicubic.
	switch strings.TrimPrefix(n.Text("mode", "linear"), "bi") {
	case "linear":
		s.reach = 1
	case "cubic":
		s.reach = 2
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, grid := in[0], in[1]
		d := x.Rank() - 2
		if d < 1 || grid.Rank() != x.Rank() || grid.Shape[0] != x.Shape[0] ||
			grid.Shape[d+1] != d || elements(x.Shape[2:]) == 0 || d > 4 {
			return msg.Errorf("a grid of shape %v does not match pictures of shape %v", grid.Shape,
				x.Shape)
		}
		lists, err := allAsFloat64(m, x, grid)
		if err != nil {
			return err
		}
		src, points, channels := lists[0], lists[1], x.Shape[1]
		shape := append([]int{x.Shape[0], channels}, grid.Shape[1:d+1]...)
		places, size := elements(shape[2:]), elements(x.Shape[2:])
		return viaFloat64(m, out[0], x.Type, shape, func(dst []float64) error {
			var taps []pixel
			for i := range x.Shape[0] * places {
				// The pixels of a point are the same for all channels.
				taps = s.taps(taps[:0], points[i*d:(i+1)*d], x.Shape[2:])
				if err := m.Tick((channels + 4) * len(taps)); err != nil {
					return err
				}
				for c := range channels {
					picture, sum := src[(i/places*channels+c)*size:][:size], 0.0
					for _, t := range taps {
						sum += t.weight * picture[t.at]
					}
					dst[(i/places*channels+c)*places+i%places] = sum
				}
			}
			return nil
		})
	}, nil
}

// A pixel is a place of a picture, counted over all spatial dimensions, and its weight.
type pixel struct {
	at     int
	weight float64
}

// taps appends the pixels that make up a point, with their weights. The weights of several
// dimensions multiply. Pixels outside of the picture that count as zero are omitted.
func (s sampling) taps(taps []pixel, point []float64, dims []int) []pixel {
	taps = append(taps, pixel{0, 1})
	for i, d := range dims {
		at := s.coordinate(point[len(point)-1-i], d)
		low := math.Floor(at)
		first, last := 1-s.reach, s.reach
		if s.reach == 0 {
			first, low = 0, at
		}
		n := len(taps)
		for j := first; j <= last; j++ {
			weight := 1.0
			switch distance := math.Abs(low + float64(j) - at); s.reach {
			case 1:
				weight = 1 - distance
			case 2:
				weight = cubicKernel(distance, -0.75)
			}
			if p, ok := s.inside(low+float64(j), d); ok {
				for _, t := range taps[:n] {
					taps = append(taps, pixel{t.at*d + p, t.weight * weight})
				}
			}
		}
		taps = append(taps[:0], taps[n:]...)
	}
	return taps
}

// coordinate maps a grid's coordinate from [-1, 1] to a side of d pixels: to the centres of the
// outer pixels if align_corners, else to their outer edges. Points beyond the sides are moved
// inside as padding_mode says; those of the cubic kernel are moved pixel by pixel by inside.
func (s sampling) coordinate(v float64, d int) float64 {
	low, high := -0.5, float64(d)-0.5
	at := ((v+1)*float64(d) - 1) / 2
	if s.corners {
		low, high = 0, float64(d-1)
		at = (v + 1) / 2 * float64(d-1)
	}
	if s.reach == 0 {
		at = math.RoundToEven(at)
	}
	if at >= low && at <= high {
		return at
	}
	switch s.beyond {
	case "border":
		return max(0, min(float64(d-1), at))
	case "reflection":
		return reflected(at, low, high)
	}
	return at
}

// reflected mirrors a coordinate at both ends until it lies between them. Reflections repeat with
// twice the span.
func reflected(at, low, high float64) float64 {
	span := high - low
	if span <= 0 {
		return low
	}
	at = math.Mod(math.Abs(at-low), 2*span)
	return low + min(at, 2*span-at)
}

// inside returns the pixel at a place on a side of d pixels, false if the place lies outside and
// counts as zero. NaN lies outside.
func (s sampling) inside(at float64, d int) (int, bool) {
	if !(at >= 0 && at <= float64(d-1)) {
		switch {
		case s.beyond == "zeros" || at != at:
			return 0, false
		case s.beyond == "border":
			at = max(0, min(float64(d-1), at))
		case s.corners:
			at = reflected(at, 0, float64(d-1))
		default:
			at = reflected(at, -0.5, float64(d)-0.5)
		}
	}
	return max(0, min(d-1, int(at))), true
}
