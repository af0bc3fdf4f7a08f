package compute

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Geometry says how the taps of a Conv or a pool move over pictures of a size. All lists have one
// element for each spatial dimension, except Pads, which has two.
type Geometry struct {
	Kernel, Strides, Dilations []int
	Pads                       []int // all begins, then all ends
	In, Out                    []int // spatial sizes
}

// Geometry places the window of a node, a Conv or a pool, over pictures with spatial sizes in.
// kernel is the size of the weights, or nil if an attribute gives it. Package gpu calls it.
func (n *Node) Geometry(in, kernel []int) (Geometry, error) {
	win := newWindow(n)
	if kernel != nil {
		win.kernel = kernel
	}
	p, err := win.over(in)
	return Geometry{p.kernel, p.strides, p.dilations, p.pads, p.in, p.out}, err
}

// Axes marks the axes that a reduction combines in a tensor of a rank. given is the value of its
// second input, or nil. It returns an error for an axis that does not exist or occurs twice.
func (n *Node) Axes(rank int, given []int) ([]bool, error) {
	axes := n.Ints("axes")
	if given != nil {
		axes = given
	}
	return reducedAxes(nil, axes, rank, n.Int("noop_with_empty_axes", 0) != 0)
}

// Sliced returns the shape of a Slice's result, and the strides and first position of its elements
// in the input. lists are the inputs after the first, nil if omitted.
func (n *Node) Sliced(shape []int, lists [4][]int) (to, strides []int, first int, err error) {
	if n.Opset < 10 {
		lists = [4][]int{n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil}
	}
	ranges, err := AxisRanges(nil, shape, lists)
	if err != nil {
		return nil, nil, 0, err
	}
	to, strides = slices.Clone(shape), tensor.Strides(shape)
	for _, c := range ranges {
		to[c.Axis] = c.N
		first += c.Start * strides[c.Axis]
		strides[c.Axis] *= c.Step
	}
	return to, strides, first, nil
}

// Parts returns the sizes of a Split's outputs along an axis of a size. given is the value of its
// second input, or nil. It returns an error if the sizes do not add up.
func (n *Node) Parts(given []int, size, outputs int) ([]int, error) {
	if given == nil {
		given = n.Ints("split")
	}
	return splitSizes(given, size, outputs, n.Int("num_outputs", 0))
}
