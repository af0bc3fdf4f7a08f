//go:build gpu

package gpu

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// pad records a Pad with a constant, whose pads and value the CPU can read: the result is filled,
// and the elements that stay are copied to their place. Negative pads remove elements. The CPU
// computes other modes, and a Pad that nothing of the value stays of.
func pad(c *call) (bool, error) {
	x := c.in[0]
	pads, value, ok := c.pads()
	rank := x.Rank()
	if !ok || c.n.Text("mode", "constant") != "constant" || len(pads) != 2*rank {
		return false, nil
	}
	own, first, at := tensor.Strides(x.Shape), 0, 0
	shape, stay := make([]int, rank), make([]int, rank)
	for i, d := range x.Shape {
		before, after := pads[i], pads[rank+i]
		if max(before, -before, after, -after) > c.p.binding {
			return false, nil
		}
		shape[i], stay[i] = d+before+after, d+min(0, before)+min(0, after)
		if stay[i] < 1 {
			return false, nil
		}
		first += max(0, -before) * own[i]
	}
	to := tensor.Strides(shape)
	for i := range shape {
		at += max(0, pads[i]) * to[i]
	}
	dims, strides := merge(stay, [][]int{own, to})
	n, ok := tensor.Count(shape)
	if !ok || len(dims) > mostMoved || !c.accepts(n, x) {
		return false, nil
	}
	y, ok, err := c.make(shape...)
	if !ok {
		return false, err
	}
	// A clip whose bounds are the value fills the result from any element.
	with := spread(0, function{11, value, value}, []int{n}, []int{0})
	if err := c.run("elementwise", with, groupsOf(n), n, y, x); err != nil {
		return false, err
	}
	return true, c.move(y, x, dims, strides[0], strides[1], first, at)
}

// pads returns the pads of all axes, begins and then ends, and the value of a Pad.
func (c *call) pads() (pads []int, value float32, ok bool) {
	if c.n.Opset < 11 {
		value = c.n.Float("value", 0)
		return c.n.Ints("pads"), value, value-value == 0
	}
	if pads, ok = c.list(1); !ok {
		return nil, 0, false
	}
	if v := c.given(2); v != nil {
		if value, ok = one(v); !ok {
			return nil, 0, false
		}
	}
	axes := c.given(3)
	if axes != nil && !readable(axes) {
		return nil, 0, false
	}
	pads, err := compute.PadsFor(pads, axes, c.in[0].Rank())
	return pads, value, err == nil
}
