//go:build gpu

package gpu

import "slices"

// maxPool records a MaxPool.
func maxPool(c *call) (bool, error) { return c.pool(false) }

// averagePool records an AveragePool.
func averagePool(c *call) (bool, error) { return c.pool(true) }

// pool records a pool over one or two dimensions.
func (c *call) pool(average bool) (bool, error) {
	x := c.in[0]
	if x.Rank() < 3 || c.n.Ints("kernel_shape") == nil {
		return false, nil
	}
	g, ok := planes(c.n, x.Shape[2:], nil)
	if !ok || elements(g.Kernel) > longestLoop {
		return false, nil
	}
	// A window without an element of the picture has neither a maximum nor a mean; the CPU returns
	// the error.
	for i := range 2 {
		last := (g.Out[i]-1)*g.Strides[i] - g.Pads[i]
		if (g.Kernel[i]-1)*g.Dilations[i] < g.Pads[i] || last >= g.In[i] ||
			g.In[i] < g.Dilations[i] {
			return false, nil
		}
	}
	made := x.Shape[0] * x.Shape[1] * elements(g.Out)
	work := made * elements(g.Kernel)
	with := geometry(g)
	with.ints(0, x.Shape[0]*x.Shape[1])
	if average {
		with.ints(1, 1, c.n.Int("count_include_pad", 0))
	}
	with.ints(16, g.Pads[2], g.Pads[3])
	shape := slices.Concat(x.Shape[:2], g.Out[2-(x.Rank()-2):])
	return c.result("pool", with, groupsOf(made), work, shape, x)
}
