package ops

import (
	"fmt"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// newConv makes Conv over any number of spatial dimensions, with groups, strides and dilations.
func newConv(n *Node) (Func, error) {
	if n.Chain != nil {
		return newChain(n)
	}
	win, groups, ep := newWindow(n), n.Int("group", 1), n.epilogue()
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, w, bias := in[0], in[1], given(in, 2)
		if x.Type == tensor.Float64 && w.Type == x.Type && (bias == nil || bias.Type == x.Type) {
			return convolve64(m, out[0], win, groups, x, w, bias)
		}
		if x.Type != tensor.Float32 || w.Type != tensor.Float32 || bias != nil &&
			bias.Type != tensor.Float32 {
			return typeError(x.Type)
		}
		c, err := newConvolution(win, groups, x, w, bias)
		if err != nil {
			return err
		}
		shape := append([]int{x.Shape[0], w.Shape[0]}, c.out...)
		if err := m.Alloc(out[0], tensor.Float32, shape...); err != nil {
			return err
		}
		return c.run(m, out[0], x, w, bias, ep)
	}, nil
}

// convolution is a Conv whose sizes are known.
type convolution struct {
	placed
	groups  int
	maps    int // output channels of a group
	sources int // input channels of a group
}

func newConvolution(win window, groups int, x, w, bias *tensor.Tensor) (c convolution, err error) {
	if x.Rank() < 3 || w.Rank() != x.Rank() {
		return c, fmt.Errorf("pictures of shape %v and kernels of shape %v do not fit", x.Shape,
			w.Shape)
	}
	if groups < 1 || x.Shape[1]%groups != 0 || w.Shape[0]%groups != 0 ||
		x.Shape[1]/groups != w.Shape[1] {
		return c, fmt.Errorf("%d channels in %d groups do not fit kernels of shape %v", x.Shape[1],
			groups, w.Shape)
	}
	if bias != nil && (bias.Rank() != 1 || bias.Shape[0] != w.Shape[0]) {
		return c, fmt.Errorf("a bias of shape %v does not fit %d output channels", bias.Shape,
			w.Shape[0])
	}
	if win.kernel != nil && fmt.Sprint(win.kernel) != fmt.Sprint(w.Shape[2:]) {
		return c, fmt.Errorf("kernel_shape %v contradicts kernels of shape %v", win.kernel, w.Shape)
	}
	win.kernel = w.Shape[2:]
	c.groups, c.maps, c.sources = groups, w.Shape[0]/groups, w.Shape[1]
	c.placed, err = win.over(x.Shape[2:])
	return c, err
}

func (c convolution) run(m *machine.Machine, out, x, w, bias *tensor.Tensor, ep epilogue) error {
	src, dst, weights := tensor.Of[float32](x), tensor.Of[float32](out), tensor.Of[float32](w)
	if len(dst) == 0 {
		return nil
	}
	from, err := c.table(m)
	if err != nil {
		return err
	}
	size, positions, taps := product1(c.in), c.positions(), c.taps()
	depth := c.sources * taps
	columns, err := machine.Scratch[float32](m, kernel.PackedLen(depth, positions))
	if err != nil {
		return err
	}
	right := &right{k: depth, n: positions, packed: columns}
	patches := kernel.NewPatches(from, taps, positions)
	for i := range x.Shape[0] * c.groups { // (instance, group)
		g := i % c.groups
		if err := m.Tick(depth * positions); err != nil {
			return err
		}
		patches.Columns(columns, src[i*c.sources*size:][:c.sources*size], c.sources, size)
		if bias != nil {
			ep.RowBias = tensor.Of[float32](bias)[g*c.maps:][:c.maps]
		}
		part := dst[i*c.maps*positions:][:c.maps*positions]
		if err := multiply(m, part, weights[g*c.maps*depth:][:c.maps*depth], c.maps, right,
			ep); err != nil {
			return err
		}
	}
	return nil
}
