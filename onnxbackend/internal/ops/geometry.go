package ops

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// A Geometry is how the taps of a Conv or a pool move over pictures of a certain size.
type Geometry struct {
	Kernel, Strides, Dilations []int
	Pads                       []int // all begins, then all ends
	In, Out                    []int // spatial sizes
}

// Geometry places the window of a node, a Conv or a pool, over pictures. Kernel is that of the weights, or nil where
// the node says it.
func (n *Node) Geometry(in, kernel []int) (Geometry, error) {
	win := newWindow(n)
	if kernel != nil {
		win.kernel = kernel
	}
	p, err := win.over(in)
	return Geometry{p.kernel, p.strides, p.dilations, p.pads, p.in, p.out}, err
}

// Axes returns the axes that a reduction combines in a tensor of a rank, each marked. Given is its second input, or nil.
func (n *Node) Axes(rank int, given []int) ([]bool, error) {
	axes := n.Ints("axes")
	if given != nil {
		axes = given
	}
	return reducedAxes(nil, axes, rank, n.Int("noop_with_empty_axes", 0) != 0)
}

// SoftmaxAxes returns the axis of a Softmax, and whether all dimensions from there on go together.
func (n *Node) SoftmaxAxes() (axis int, together bool) { return softmaxAxes(n) }

// IntsOf returns the elements of a list of integers.
func IntsOf(t *tensor.Tensor) ([]int, error) { return intsOf(t) }
