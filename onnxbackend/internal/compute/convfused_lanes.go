package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// lanes computes a chain for LaneWidth pictures at a time, one picture in each SIMD lane. Each
// stage stores a band of its input, as many rows as its window spans, and requests missing rows
// from the stage before it. No plane between two stages is stored as a whole, and rows are read
// while they are in the cache.
type lanes struct {
	stages []stage
	shape  []int // shape of the result
	// rows is the number of rows of the result that are collected before they leave the lanes.
	rows int

	// src begins with the elements of the pictures that are in the lanes.
	src []float32
	// pictures is their number, which is less than the number of lanes at the end of the bag.
	pictures int
}

// maxBands bounds the floats of all bands (16 MiB). Chains with larger windows run link by link.
const maxBands = 1 << 22

// maxGathered bounds the floats of the result that are gathered before they leave the lanes: 256
// KiB, the size of a second-level cache.
const maxGathered = 1 << 16

// placeLanes places the layers over the pictures of x. It returns nil if lanes cannot compute them,
// or if a link is going to fail.
func placeLanes(layers []*laneLayer, x *tensor.Tensor) *lanes {
	if x.Type != tensor.Float32 || x.Rank() != 4 || x.Shape[1] == 0 {
		return nil
	}
	l, shape, floats := &lanes{stages: make([]stage, len(layers))}, x.Shape, 0
	for i := range layers {
		s := &l.stages[i]
		if !s.place(layers[i], shape) {
			return nil
		}
		n, ok := tensor.Count([]int{s.channels, s.rows, s.cols, kernel.LaneWidth()})
		if floats += n; !ok || n > maxBands || floats > maxBands {
			return nil
		}
		if s.chain = l; i > 0 {
			s.before = &l.stages[i-1]
		}
		shape = []int{shape[0], s.maps, s.out[0], s.out[1]}
	}
	row, ok := tensor.Count([]int{shape[1], shape[3], kernel.LaneWidth()})
	if !ok || row == 0 || row > maxBands {
		return nil
	}
	l.shape, l.rows = shape, max(1, min(shape[2], maxGathered/row))
	return l
}

// places returns the largest number of places of a layer's result.
func (l *lanes) places() int {
	most := 0
	for i := range l.stages {
		most = max(most, l.stages[i].positions())
	}
	return most
}

// beats reports whether lanes cost no more than f for so many pictures. They compute all lanes,
// also those without a picture; a chain without a flat form costs more in any case.
func (l *lanes) beats(f *flatChain, pictures int) bool {
	if f == nil {
		return true
	}
	cost := 0
	for i := range l.stages {
		s := &l.stages[i]
		taps := s.taps()
		if s.layer.w != nil {
			taps *= s.channels
		}
		cost += s.maps * taps * s.positions()
	}
	width := kernel.LaneWidth()
	return ceilDiv(pictures, width)*width*cost <= ceilDiv(pictures, f.group)*f.cost()
}

// place sets the sizes of a stage whose input has the shape. It reports false if the stage cannot
// be computed in lanes, or if the link is going to fail, so that the link returns its own error.
func (s *stage) place(y *laneLayer, shape []int) bool {
	s.layer, s.channels, s.maps = y, shape[1], shape[1]
	var err error
	if y.groups > 1 {
		return false
	}
	if y.w != nil {
		var c convolution
		c, err = newConvolution(y.window, 1, &tensor.Tensor{Shape: shape}, y.w, y.bias)
		s.placed, s.maps = c.placed, c.maps
	} else if y.kernel != nil {
		s.placed, err = y.over(shape[2:])
	}
	if err != nil || s.kernel == nil || !s.meets() {
		return false
	}
	s.rows = (s.kernel[0]-1)*s.dilations[0] + 1
	// A band is as wide as the padded picture, or wider if the last window reaches beyond it.
	reach := (s.out[1]-1)*s.strides[1] + (s.kernel[1]-1)*s.dilations[1] + 1
	s.cols = max(s.pads[1]+s.in[1], reach)
	return true
}

// meets reports whether every window overlaps the picture. The maximum of an empty window differs
// from the padding, and unbounded padding would be unbounded work. It may report false for pictures
// narrower than a dilation.
func (p placed) meets() bool {
	for i := range p.in {
		before := (p.kernel[i]-1)*p.dilations[i] < p.pads[i] // the first window ends there
		beyond := (p.out[i]-1)*p.strides[i]-p.pads[i] >= p.in[i]
		if before || beyond || p.in[i] < p.dilations[i] {
			return false
		}
	}
	return true
}

// run computes the chain for all pictures.
func (l *lanes) run(m *machine.Machine, out, x *tensor.Tensor) error {
	if err := allocate(m, out, tensor.Float32, l.shape...); err != nil {
		return err
	}
	for i := range l.stages {
		if err := l.stages[i].open(m); err != nil {
			return err
		}
	}
	width, last := kernel.LaneWidth(), &l.stages[len(l.stages)-1]
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	maps, height, cols := l.shape[1], l.shape[2], l.shape[3]
	stride := l.rows * cols // between the collected rows of two maps
	// Rows of the result are collected so that each map's part leaves the lanes in one long copy.
	gathered, err := machine.Scratch[float32](m, maps*stride*width)
	if err != nil {
		return err
	}
	size, outSize := elements(x.Shape[1:]), maps*height*cols // sizes of one picture
	// The last group may have fewer pictures than there are lanes; the other lanes compute zeros.
	for i := 0; i < x.Shape[0]; i += width {
		l.src, l.pictures = src[i*size:], min(width, x.Shape[0]-i)
		for j := range l.stages {
			l.stages[j].begin()
		}
		// The last stage requests the rows that it needs from the stage before it, and so on.
		for y := 0; y < height; y += l.rows {
			rows := min(l.rows, height-y)
			for r := range rows {
				if err := last.row(m, y+r, gathered[r*cols*width:], stride*width); err != nil {
					return err
				}
			}
			to := dst[i*outSize+y*cols:]
			if err := m.Tick(maps * rows * cols * width); err != nil {
				return err
			}
			if rows == height { // the rows already have the layout of the result
				kernel.FromLanes(to, gathered, outSize, outSize, l.pictures)
				continue
			}
			for p := range maps {
				kernel.FromLanes(to[p*height*cols:], gathered[p*stride*width:], rows*cols, outSize,
					l.pictures)
			}
		}
	}
	return nil
}
