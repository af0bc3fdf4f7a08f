package compute

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// window holds the attributes of Conv and of the pools: how taps move over the spatial dimensions.
type window struct {
	// Lists have one element for each spatial dimension, except pads, which has all begins, then
	// all ends. A list is nil if its attribute is absent.
	kernel, strides, dilations, pads []int
	// auto is attribute auto_pad, which computes the pads if it is neither NOTSET nor VALID.
	auto string
	// ceil adds a last window that only partly lies in the padded picture.
	ceil bool
}

// newWindow reads the attributes of a window. They are checked by over.
func newWindow(n *Node) window {
	return window{
		kernel: n.Ints("kernel_shape"), strides: n.Ints("strides"), dilations: n.Ints("dilations"),
		pads: n.Ints("pads"), auto: n.Text("auto_pad", "NOTSET"), ceil: n.Int("ceil_mode", 0) != 0,
	}
}

// placed is a window over a picture of a known size.
type placed struct {
	window
	in, out []int // spatial sizes
}

// over resolves defaults and automatic padding for spatial sizes in, and computes those of the
// result. It rejects attributes of wrong lengths or ranges, and windows larger than the padded
// picture.
func (w window) over(in []int) (placed, error) {
	d := len(in)
	p := placed{window: w, in: in, out: make([]int, d)}
	ones := func(v []int) ([]int, bool) {
		if v == nil {
			v = make([]int, d)
			fill(v, 1)
		}
		for _, x := range v {
			if x < 1 || x > math.MaxInt32 {
				return nil, false
			}
		}
		return v, len(v) == d
	}
	var ok [3]bool
	p.kernel, ok[0] = ones(w.kernel)
	p.strides, ok[1] = ones(w.strides)
	p.dilations, ok[2] = ones(w.dilations)
	// The file may hold any numbers, so products of these must not overflow later.
	if ok != [3]bool{true, true, true} || w.pads != nil && len(w.pads) != 2*d {
		return p, msg.Errorf(
			"kernel_shape %v, strides %v, dilations %v and pads %v do not match %d spatial "+
				"dimensions", w.kernel, w.strides, w.dilations, w.pads, d)
	}
	// The attribute is shared by all runs, so automatic padding writes to a copy.
	pads := make([]int, 2*d)
	copy(pads, w.pads)
	p.pads = pads
	for i := range d {
		if err := p.alongAxis(i); err != nil {
			return p, err
		}
	}
	return p, nil
}

// alongAxis finds the padding and the number of places of the window along spatial dimension i.
func (p *placed) alongAxis(i int) error {
	in, pads, d := p.in, p.pads, len(p.in)
	if max(pads[i], pads[i+d], in[i]) > math.MaxInt32 {
		return msg.Errorf("pads %v or sides %v are too large for any memory", pads, in)
	}
	// reach is the number of places from the first to the last tap.
	reach := (p.kernel[i]-1)*p.dilations[i] + 1
	switch p.auto {
	case "VALID":
		pads[i], pads[i+d] = 0, 0
	// The result has ceil(side / stride) places.
	case "SAME_UPPER", "SAME_LOWER":
		out := (in[i] + p.strides[i] - 1) / p.strides[i]
		// The padding lets the windows cover the picture. If its total is odd, the larger part
		// lies at the end for SAME_UPPER, else at the start.
		total := max(0, (out-1)*p.strides[i]+reach-in[i])
		pads[i], pads[i+d] = total/2, total-total/2
		if p.auto == "SAME_LOWER" {
			pads[i], pads[i+d] = pads[i+d], pads[i]
		}
	}
	// span is how far the window can move. It is negative if the window is larger than the
	// picture.
	span := in[i] + pads[i] + pads[i+d] - reach
	if span >= 0 {
		p.out[i] = span/p.strides[i] + 1
	}
	// With ceil_mode, a remainder of the span gives one more window.
	over := span%p.strides[i] != 0 && span > -p.strides[i]
	if p.ceil && over && p.out[i]*p.strides[i] < in[i]+pads[i] {
		p.out[i]++ // a last window that begins inside the picture or its first padding
	}
	if p.out[i] == 0 {
		return fmt.Errorf(
			"a window of %d does not match a side of %d with padding %d and %d",
			reach, in[i], pads[i], pads[i+d])
	}
	return nil
}

// positions and taps are how many there are.
func (p placed) positions() int { return elements(p.out) }
func (p placed) taps() int      { return elements(p.kernel) }

// elements returns the number of elements of a shape, or of some of its dimensions.
func elements(v []int) int {
	n := 1
	for _, d := range v {
		n *= d
	}
	return n
}

// table returns (tap, position): where in the picture a tap reads for an output position, -1 in the
// padding. All channels and pictures share it. It is valid until the operator returns. For a
// picture of 28 x 28 and a window of 5 x 5 it has 25 · 576 entries.
func (p placed) table(m *machine.Machine) ([]int32, error) {
	size, ok := tensor.Count(append(append([]int{}, p.kernel...), p.out...))
	// Positions are int32, which halves the table; larger pictures are rejected.
	if _, small := tensor.Count(p.in); !ok || !small || elements(p.in) > math.MaxInt32 {
		return nil, msg.Errorf("a window of %v over %v is too large for any memory", p.kernel, p.in)
	}
	t, err := machine.Scratch[int32](m, size)
	if err != nil {
		return nil, err
	}
	if err := m.Tick(size * 4); err != nil {
		return nil, err
	}
	d := len(p.in)
	positions := p.positions()
	tap, pos := make([]int, d), make([]int, d)
	// Both indices advance in row-major order: the taps outside, the positions inside.
	for k := range p.taps() {
		clear(pos)
		for j := range positions {
			at := 0
			for i := range d {
				c := pos[i]*p.strides[i] - p.pads[i] + tap[i]*p.dilations[i]
				if c < 0 || c >= p.in[i] {
					at = -1
					break
				}
				at = at*p.in[i] + c
			}
			t[k*positions+j] = int32(at)
			advance(pos, p.out)
		}
		advance(tap, p.kernel)
	}
	return t, nil
}

// advance moves an index to the next place in row-major order, from the last to the first.
func advance(index, dims []int) {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < dims[i] {
			return
		}
		index[i] = 0
	}
}
