//go:build gpu

package gpu

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// fewMaps is the largest number of maps of a group for the narrow kernel. A tile of the other
// kernel computes 64 maps, most of them in vain for so few.
const fewMaps = 8

// longestLoop bounds the loops of an invocation: Mesa's llvmpipe ends all of them after 65,535
// rounds together.
const longestLoop = 1 << 15

// conv records a Conv over one or two dimensions, or the chain that begins with one. Shaders
// compute it as a product of matrices, whose right factor they read from the picture. Parts of few
// maps, and weights that are no constants, have a kernel that sums elements directly.
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
	v := convolution{pictures: x.Shape[0], sources: w.Shape[1], maps: w.Shape[0] / parts,
		parts: parts, Geometry: g}
	work := v.pictures * w.Len() * elements(g.Out)
	shape := slices.Concat([]int{v.pictures, w.Shape[0]}, g.Out[2-(x.Rank()-2):])
	with := v.params(act, bias)
	if v.maps > fewMaps && v.depth() <= longestLoop && slices.Contains(c.n.Const, w) {
		if !c.accepts(work, x, w, bias) {
			return false, nil
		}
		rows, drop := c.converted(w, v.rows)
		defer drop()
		name, workgroups := v.kernel()
		return c.result(name, with, workgroups, work, shape, x, rows, bias)
	}
	if w.Len()/w.Shape[0] > longestLoop {
		return false, nil
	}
	return c.result("narrow", with, v.fours(), work, shape, x, w, bias)
}

// A convolution has the sizes of a Conv over planes.
type convolution struct {
	pictures, sources, maps, parts int // sources and maps are those of a part
	compute.Geometry
}

// depth returns the length of a row of weights, padded to a multiple of four.
func (v *convolution) depth() int { return (v.sources*elements(v.Kernel) + 3) &^ 3 }

// kernel returns the kernel that computes a convolution as a product, and its number of workgroups.
func (v *convolution) kernel() (name string, workgroups int) {
	name = "patches"
	if elements(v.Kernel) == 1 && elements(v.Strides) == 1 && elements(v.Out)%4 == 0 &&
		!slices.ContainsFunc(v.Pads, func(n int) bool { return n != 0 }) {
		name = "pointwise"
	}
	p := product{m: v.maps, n: v.pictures * elements(v.Out), batch: v.parts}
	side := p.side()
	return name + strconv.Itoa(side), p.tiles(side)
}

// fours returns the number of workgroups of narrow.wgsl, with an invocation for four neighbours in
// a row of the result.
func (v *convolution) fours() int {
	return groupsOf(v.pictures * v.parts * v.maps * v.Out[0] * ((v.Out[1] + 3) / 4))
}

// params returns the parameters of conv.wgsl, of which narrow.wgsl has all but the last.
func (v *convolution) params(act function, bias *tensor.Tensor) (with params) {
	with = geometry(v.Geometry)
	with.ints(0, v.maps, v.pictures, v.sources, v.parts)
	with.ints(16, flag(bias), act.kind)
	with.reals(18, act.a, act.b)
	with.ints(20, v.depth())
	return with
}

// rows returns the weights (map, source, tap) as (map, depth), where depth runs over taps and in a
// tap over sources.
func (v *convolution) rows(w *tensor.Tensor) *tensor.Tensor {
	rows, taps := tensor.New(tensor.Float32, w.Shape[0], v.depth()), elements(v.Kernel)
	of, to := tensor.Of[float32](w), tensor.Of[float32](rows)
	for row := range w.Shape[0] {
		for source := range v.sources {
			for tap := range taps {
				to[row*v.depth()+tap*v.sources+source] = of[(row*v.sources+source)*taps+tap]
			}
		}
	}
	return rows
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
