package compute

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewConvTranspose makes ConvTranspose, the adjoint of Conv: where Conv reads a pixel for a
// position of its result, this operator adds to it. Kernels are (input channel, output channel of a
// group, spatial...).
func NewConvTranspose(n *Node) (Func, error) {
	win, groups := newWindow(n), n.Int("group", 1)
	extra, outputShape := n.Ints("output_padding"), n.Ints("output_shape")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, w, bias := in[0], in[1], given(in, 2)
		if x.Rank() < 3 || w.Rank() != x.Rank() || groups < 1 || x.Shape[1] != w.Shape[0] ||
			x.Shape[1]%groups != 0 {
			return msg.Errorf(
				"pictures of shape %v in %d groups and kernels of shape %v do not match", x.Shape,
				groups, w.Shape)
		}
		if win.kernel != nil && !slices.Equal(win.kernel, w.Shape[2:]) {
			return msg.Errorf("kernel_shape %v contradicts kernels of shape %v", win.kernel,
				w.Shape)
		}
		maps := groups * w.Shape[1]
		if bias != nil && (bias.Rank() != 1 || bias.Shape[0] != maps) {
			return msg.Errorf("a bias of shape %v does not match %d output channels", bias.Shape,
				maps)
		}
		is64, err := areFloats(x, w, bias)
		if err != nil {
			return err
		}
		win := win
		win.kernel = w.Shape[2:]
		p, err := win.placeTranspose(x.Shape[2:], extra, outputShape)
		if err != nil {
			return err
		}
		if err := allocate(m, out[0], x.Type,
			append([]int{x.Shape[0], maps}, p.in...)...); err != nil {
			return err
		}
		if is64 {
			return transpose[float64](m, p, groups, out[0], x, w, bias)
		}
		return transpose[float32](m, p, groups, out[0], x, w, bias)
	}, nil
}

// placeTranspose places the window of a ConvTranspose as that of the Conv whose adjoint it is: out
// are the sides of its input, and in those of its result. Attributes output_padding (extra) and
// output_shape, either of which may be nil, choose among the results with the same input.
func (w window) placeTranspose(sides, extra, outputShape []int) (placed, error) {
	d := len(sides)
	auto, pads := w.auto, w.pads
	w.auto, w.pads = "", nil
	// The sizes of this picture are arbitrary large ones, since only the attributes are read here.
	ones := make([]int, d)
	fill(ones, 1<<30)
	p, err := w.over(ones) // checks the attributes and fills in their defaults
	if err != nil {
		return p, err
	}
	if pads != nil && len(pads) != 2*d || extra != nil && len(extra) != d && len(extra) != 2*d ||
		outputShape != nil && len(outputShape) != d {
		return p, msg.Errorf(
			"pads %v, output_padding %v and output_shape %v do not match %d spatial dimensions",
			pads,
			extra, outputShape, d)
	}
	copy(p.pads, pads)
	p.out, p.in = sides, make([]int, d)
	for i, side := range sides {
		if side < 1 || max(side, p.pads[i], p.pads[i+d]) > 1<<30 {
			return p, msg.Errorf("sides %v with pads %v are empty or too large for any memory",
				sides, p.pads)
		}
		// full is the side of the result without padding.
		full := (side-1)*p.strides[i] + (p.kernel[i]-1)*p.dilations[i] + 1
		if extra != nil {
			// output_padding adds places at the end that no tap of the regular result reaches.
			full += min(extra[i], 1<<30)
		}
		p.in[i] = full - p.pads[i] - p.pads[i+d]
		switch {
		case outputShape != nil:
			p.in[i] = outputShape[i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			p.in[i] = side * p.strides[i]
		}
		if p.in[i] < 1 || p.in[i] > 1<<31-1 {
			return p, fmt.Errorf("a side of %d would have size %d", side, p.in[i])
		}
		if outputShape != nil || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			// The padding follows from the requested side. An odd total is one larger at the end
			// for SAME_UPPER, else at the start.
			total := max(0, full-p.in[i])
			if p.pads[i] = total / 2; auto != "SAME_UPPER" {
				p.pads[i] = total - total/2
			}
		}
	}
	return p, nil
}

// transpose multiplies each picture by the transposed kernels, which gives a column for each pixel
// of the input, and adds the columns up at their positions (col2im).
func transpose[T float32 | float64](
	m *machine.Machine, p placed, groups int, out, x, w, bias *tensor.Tensor,
) error {
	src, dst, weights := tensor.Of[T](x), tensor.Of[T](out), tensor.Of[T](w)
	if len(dst) == 0 {
		return nil
	}
	to, err := p.table(m)
	if err != nil {
		return err
	}
	size, positions, maps := elements(p.in), p.positions(), w.Shape[1]
	depth, rows := x.Shape[1]/groups, maps*p.taps()
	columns, err := machine.Scratch[T](m, rows*positions)
	if err != nil {
		return err
	}
	kernels := make([][]T, groups)
	for g := range groups {
		if kernels[g], err = transposed(m, weights[g*depth*rows:][:depth*rows], depth,
			rows); err != nil {
			return err
		}
	}
	for i := range x.Shape[0] * groups { // (instance, group)
		// Groups are computed like pictures of fewer channels.
		g := i % groups
		if err := productOf(m, columns, kernels[g], src[i*depth*positions:][:depth*positions],
			rows, positions, depth, false); err != nil {
			return err
		}
		if err := m.Tick(len(columns)); err != nil {
			return err
		}
		for c := range maps {
			picture := dst[(i*maps+c)*size:][:size]
			start := T(0)
			if bias != nil {
				start = tensor.Of[T](bias)[g*maps+c]
			}
			fill(picture, start)
			for j, v := range columns[c*len(to):][:len(to)] {
				// Taps in the padding contribute nothing.
				if q := to[j]; q >= 0 {
					picture[q] += v
				}
			}
		}
	}
	return nil
}
