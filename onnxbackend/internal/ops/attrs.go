package ops

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Geometry is how the taps of a Conv or a pool move over pictures of a certain size.
type Geometry struct {
	Kernel, Strides, Dilations []int
	Pads                       []int // all begins, then all ends
	In, Out                    []int // spatial sizes
}

// Geometry places the window of a node, a Conv or a pool, over pictures. Kernel is that of the
// weights, or nil where the node says it.
func (n *Node) Geometry(in, kernel []int) (Geometry, error) {
	win := newWindow(n)
	if kernel != nil {
		win.kernel = kernel
	}
	p, err := win.over(in)
	return Geometry{p.kernel, p.strides, p.dilations, p.pads, p.in, p.out}, err
}

// Axes returns the axes that a reduction combines in a tensor of a rank, each marked. Given is its
// second input, or nil.
func (n *Node) Axes(rank int, given []int) ([]bool, error) {
	axes := n.Ints("axes")
	if given != nil {
		axes = given
	}
	return reducedAxes(nil, axes, rank, n.Int("noop_with_empty_axes", 0) != 0)
}

// SoftmaxAxes returns the axis of a Softmax, and whether all dimensions from there on go together.
func (n *Node) SoftmaxAxes() (axis int, together bool) { return softmaxAxes(n) }

// Sliced returns what a Slice leaves of a shape: the shape, and the strides of its elements from
// the first on. Lists are its inputs behind the value, nil where one is not given.
func (n *Node) Sliced(shape []int, lists [4][]int) (to, strides []int, first int, err error) {
	if n.Opset < 10 {
		lists = [4][]int{n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil}
	}
	cuts, err := cutsOf(nil, shape, lists)
	if err != nil {
		return nil, nil, 0, err
	}
	to, strides = slices.Clone(shape), tensor.Strides(shape)
	for _, c := range cuts {
		to[c.axis] = c.n
		first += c.start * strides[c.axis]
		strides[c.axis] *= c.step
	}
	return to, strides, first, nil
}

// Parts returns the sizes of a Split's outputs along an axis of some size. Given is its second
// input, or nil.
func (n *Node) Parts(given []int, size, outputs int) ([]int, error) {
	if given == nil {
		given = n.Ints("split")
	}
	return splitSizes(given, size, outputs, n.Int("num_outputs", 0))
}

// IntsOf returns the elements of a list of integers.
func IntsOf(t *tensor.Tensor) ([]int, error) { return intsOf(t) }
