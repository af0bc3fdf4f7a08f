//go:build gpu

package gpu

import (
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// fewMaps is the largest number of maps of a group for the narrow kernel. A tile of the other
// kernel computes 64 maps, most of them in vain for so few.
const fewMaps = 8

// longestLoop bounds the loops of an invocation: Mesa's llvmpipe ends all of them after 65,535
// rounds together.
const longestLoop = 1 << 15

// conv records a Conv over one or two dimensions, or the chain that begins with one. The shader
// computes it as a product of matrices, whose right factor it reads from the picture.
func conv(c *call) (bool, error) {
	if c.n.Chain != nil {
		return chain(c)
	}
	x, w, bias := c.in[0], c.in[1], c.given(2)
	act, ok := activationOf(c.n.Activation)
	parts := c.n.Int("group", 1)
	if !ok || x.Rank() < 3 || w.Rank() != x.Rank() || parts < 1 || x.Shape[1] != parts*w.Shape[1] ||
		w.Shape[0]%parts != 0 {
		return false, nil
	}
	if said := c.n.Ints("kernel_shape"); said != nil && !slices.Equal(said, w.Shape[2:]) {
		return false, nil
	}
	if bias != nil && (bias.Rank() != 1 || bias.Shape[0] != w.Shape[0]) {
		return false, nil
	}
	g, ok := planes(c.n, x.Shape[2:], w.Shape[2:])
	if !ok {
		return false, nil
	}
	if w.Len()/w.Shape[0] > longestLoop {
		return false, nil
	}
	pictures, sources, maps := x.Shape[0], w.Shape[1], w.Shape[0]/parts
	positions := elements(g.Out)
	work := pictures * w.Len() * positions
	shape := slices.Concat([]int{pictures, w.Shape[0]}, g.Out[2-(x.Rank()-2):])
	with := geometry(g)
	with.ints(0, maps, pictures, sources, parts)
	with.ints(16, flag(bias), act.kind)
	with.reals(18, act.a, act.b)
	if maps <= fewMaps {
		groups := groupsOf(pictures * parts * maps * positions)
		return c.result("narrow", with, groups, work, shape, x, w, bias)
	}
	tiles := parts * ((maps + 63) / 64) * ((pictures*positions + 63) / 64)
	return c.result("conv", with, tiles, work, shape, x, w, bias)
}

// geometry returns parameters 4 to 15 of kernels with a window: its sizes, strides, dilations and
// pads.
func geometry(g compute.Geometry) (p params) {
	p.ints(4, g.In[0], g.In[1], g.Out[0], g.Out[1], g.Kernel[0], g.Kernel[1], g.Strides[0],
		g.Strides[1], g.Dilations[0], g.Dilations[1], g.Pads[0], g.Pads[1])
	return p
}

// planes returns the geometry of a node's window over planes; a line is a plane of one row. It
// reports false if the geometry is invalid, if there are more dimensions, or if a number is too
// large for the 32-bit indices of kernels.
func planes(n *compute.Node, in, kernel []int) (g compute.Geometry, ok bool) {
	g, err := n.Geometry(in, kernel)
	if err != nil || len(in) > 2 {
		return g, false
	}
	if len(in) == 1 {
		one := func(v []int) []int { return []int{1, v[0]} }
		g = compute.Geometry{
			Kernel: one(g.Kernel), Strides: one(g.Strides), Dilations: one(g.Dilations),
			In: one(g.In), Out: one(g.Out),
			Pads: []int{0, g.Pads[0], 0, g.Pads[1]},
		}
	}
	for _, list := range [][]int{g.Kernel, g.Strides, g.Dilations, g.In, g.Out, g.Pads} {
		for _, v := range list {
			if v > 1<<15 { // indices are products of two of them
				return g, false
			}
		}
	}
	return g, true
}

// chain records the links of a chain one after another. Values between them are dropped. If the
// device cannot compute a link, the CPU computes the whole chain.
func chain(c *call) (bool, error) {
	links, x := c.n.Chain, c.in[0]
	for i := range links {
		l := &links[i]
		sub := *c
		sub.n, sub.in, sub.out = l.Node, append([]*tensor.Tensor{x}, l.In[1:]...), &tensor.Tensor{}
		if i == len(links)-1 {
			sub.out = c.out
		}
		done, err := kernels[deviceOf(l.Node)](&sub)
		if i > 0 {
			c.drop(x)
		}
		if !done || err != nil {
			c.drop(sub.out)
			return false, err
		}
		x = sub.out
	}
	return true, nil
}
