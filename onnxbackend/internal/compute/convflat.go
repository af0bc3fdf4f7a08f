package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A flatChain computes a chain for some pictures at a time, with neighbouring places of a picture
// in the SIMD lanes (see kernel.ConvFlat). It suits a few pictures with many places. Results
// between the layers are those of the pictures that are computed together.
type flatChain struct {
	stages []flatStage
	maps   []int // shape of the result of one picture
	group  int   // pictures at a time
}

const (
	// flatPlaces is how many places of a result are computed together at least, if there are enough
	// pictures: fewer would read the weights too often.
	flatPlaces = 512
	// maxFlat bounds the floats of the padded input of a layer (128 MiB). Larger layers run link by
	// link.
	maxFlat = 1 << 25
)

// placeFlat places the layers over the pictures of x. It returns nil if they cannot be computed in
// this way, or if a link is going to fail.
func placeFlat(layers []*laneLayer, x *tensor.Tensor) *flatChain {
	if x.Type != tensor.Float32 || x.Rank() != 4 || x.Len() == 0 {
		return nil
	}
	f, shape := &flatChain{stages: make([]flatStage, len(layers))}, x.Shape
	least := flatPlaces
	for i := range layers {
		s := &f.stages[i]
		if !s.place(layers[i], shape) {
			return nil
		}
		least = min(least, s.positions())
		shape = []int{shape[0], s.groups * s.maps, s.out[0], s.out[1]}
	}
	f.maps = shape[1:]
	f.group = min(x.Shape[0], flatPlaces/least)
	if f.group*least < 2*kernel.LaneWidth() {
		return nil
	}
	for i := range f.stages {
		if !f.stages[i].arrange(f.group) {
			return nil
		}
	}
	return f
}

// copyCost is what it costs to move a float between a picture and its padded form, in
// multiplications. With it, cost is 1.3 to 1.7 times that of full lanes for the chains of
// BenchmarkChain, which took 1.1 to 1.9 times as long.
const copyCost = 25

// cost returns the multiplications of the pictures that are computed together, with those between
// rows, and the price of copying results.
func (f *flatChain) cost() int {
	cost := 0
	for i := range f.stages {
		s := &f.stages[i]
		places := ((f.group-1)*s.rows.pitch + s.out[0]) * s.cols.pitch
		cost += s.groups * s.maps * (s.sources*s.taps() + copyCost) * places
	}
	return cost
}

// run computes the chain for all pictures.
func (f *flatChain) run(m *machine.Machine, out, x *tensor.Tensor) error {
	if err := allocate(m, out, tensor.Float32,
		append([]int{x.Shape[0]}, f.maps...)...); err != nil {
		return err
	}
	var between [2][]float32 // results of the stages before the last, in turn
	for i := range f.stages {
		s := &f.stages[i]
		if err := s.open(m); err != nil {
			return err
		}
		if n := f.group * s.result(); i+1 < len(f.stages) && n > len(between[i%2]) {
			var err error
			if between[i%2], err = machine.Scratch[float32](m, n); err != nil {
				return err
			}
		}
	}
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	size, result := elements(x.Shape[1:]), elements(f.maps)
	for i := 0; i < x.Shape[0]; i += f.group {
		some, from := min(f.group, x.Shape[0]-i), src[i*size:]
		for j := range f.stages {
			to := between[j%2]
			if j == len(f.stages)-1 {
				to = dst[i*result:]
			}
			if err := f.stages[j].run(m, to, from, some); err != nil {
				return err
			}
			from = to
		}
	}
	return nil
}
