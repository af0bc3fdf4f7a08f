package compute

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// NewConv makes Conv over any number of spatial dimensions, with groups, strides and dilations.
// Inputs are pictures (batch, channel, spatial...), kernels (map, channel of a group, spatial...)
// and a bias (map).
func NewConv(n *Node) (Func, error) {
	if n.Chain != nil {
		return newChain(n)
	}
	win, groups, ep := newWindow(n), n.Int("group", 1), n.epilogue()
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		return convolve(m, out[0], win, groups, in[0], in[1], given(in, 2), ep)
	}, nil
}

// convolve computes a Conv in float32 or float64. Only float32 has an epilogue; passes fuse none
// into other convolutions.
func convolve(
	m *machine.Machine, out *tensor.Tensor, win window, groups int, x, w, bias *tensor.Tensor,
	ep epilogue,
) error {
	is64, err := areFloats(x, w, bias)
	if err != nil {
		return err
	}
	c, err := newConvolution(win, groups, x, w, bias)
	if err != nil {
		return err
	}
	shape := append([]int{x.Shape[0], w.Shape[0]}, c.out...)
	if err := allocate(m, out, x.Type, shape...); err != nil || out.Len() == 0 {
		return err
	}
	if is64 {
		return c.run64(m, out, x, w, bias)
	}
	return c.run(m, out, x, w, bias, ep)
}

// A convolution is a Conv whose sizes are known. It is computed as im2col: for each position of the
// result, the elements under the kernel form a column, and the kernels times all columns are the
// result.
type convolution struct {
	placed
	groups int
	// maps is the number of output channels of a group, sources that of input channels.
	maps, sources int
}

// newConvolution checks shapes and places the window. Only the shapes of x, w and bias are read.
func newConvolution(win window, groups int, x, w, bias *tensor.Tensor) (c convolution, err error) {
	if x.Rank() < 3 || w.Rank() != x.Rank() {
		return c, msg.Errorf("pictures of shape %v and kernels of shape %v do not match", x.Shape,
			w.Shape)
	}
	if x.Shape[1]%groups != 0 || w.Shape[0]%groups != 0 ||
		x.Shape[1]/groups != w.Shape[1] {
		return c, msg.Errorf("%d channels in %d groups do not match kernels of shape %v",
			x.Shape[1],
			groups, w.Shape)
	}
	if bias != nil && (bias.Rank() != 1 || bias.Shape[0] != w.Shape[0]) {
		return c, msg.Errorf("a bias of shape %v does not match %d output channels", bias.Shape,
			w.Shape[0])
	}
	if win.kernel != nil && !slices.Equal(win.kernel, w.Shape[2:]) {
		return c, msg.Errorf("kernel_shape %v contradicts kernels of shape %v", win.kernel, w.Shape)
	}
	win.kernel = w.Shape[2:]
	c.groups, c.maps, c.sources = groups, w.Shape[0]/groups, w.Shape[1]
	c.placed, err = win.over(x.Shape[2:])
	return c, err
}

// run computes the convolution in float32 with the kernels of package kernel. The columns of one
// group are packed straight into the layout of the right factor, so no copy is needed.
func (c convolution) run(m *machine.Machine, out, x, w, bias *tensor.Tensor, ep epilogue) error {
	from, err := c.table(m)
	if err != nil {
		return err
	}
	size, positions, depth := elements(c.in), c.positions(), c.sources*c.taps()
	columns, err := machine.Scratch[float32](m, kernel.PackedLen(depth, positions))
	if err != nil {
		return err
	}
	right := &right{k: depth, n: positions, packed: columns}
	patches := kernel.NewPatches(from, c.taps(), positions)
	return eachGroup(m, c, out, x, w, bias, func(part, pictures, weights, bias []float32) error {
		patches.Columns(columns, pictures, c.sources, size)
		ep.RowBias = bias
		return multiply(m, part, weights, c.maps, right, ep)
	})
}

// run64 is run in float64, in plain loops. Models in float64 are rare.
func (c convolution) run64(m *machine.Machine, out, x, w, bias *tensor.Tensor) error {
	from, err := c.table(m)
	if err != nil {
		return err
	}
	size, positions, depth := elements(c.in), c.positions(), c.sources*c.taps()
	columns, err := machine.Scratch[float64](m, depth*positions)
	if err != nil {
		return err
	}
	return eachGroup(m, c, out, x, w, bias, func(part, pictures, weights, bias []float64) error {
		for s := range c.sources {
			for j, q := range from {
				v := 0.0
				if q >= 0 {
					v = pictures[s*size+int(q)]
				}
				columns[s*len(from)+j] = v
			}
		}
		if err := productAny(m, part, weights, columns, c.maps, positions, depth); err != nil {
			return err
		}
		for j, b := range bias {
			for p := range part[j*positions : (j+1)*positions] {
				part[j*positions+p] += b
			}
		}
		return nil
	})
}

// eachGroup calls f for each group of channels of each picture with its part of the result, its
// input channels, its kernels and its biases, nil without a bias.
func eachGroup[T float32 | float64](
	m *machine.Machine, c convolution, out, x, w, bias *tensor.Tensor,
	f func(part, pictures, weights, bias []T) error,
) error {
	src, dst, weights := tensor.Of[T](x), tensor.Of[T](out), tensor.Of[T](w)
	n := c.sources * elements(c.in)          // elements of the input in a group
	outSize := c.maps * c.positions()        // and of the result
	kernels := c.maps * c.sources * c.taps() // weights of a group
	for i := range x.Shape[0] * c.groups {   // (picture, group)
		if err := m.Tick(c.sources * c.taps() * c.positions()); err != nil {
			return err
		}
		g := i % c.groups
		var biases []T
		if bias != nil {
			biases = tensor.Of[T](bias)[g*c.maps:][:c.maps]
		}
		if err := f(dst[i*outSize:][:outSize], src[i*n:][:n], weights[g*kernels:][:kernels],
			biases); err != nil {
			return err
		}
	}
	return nil
}
