package ops

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// convolve64 is Conv in float64: the plain form of convolution.run.
func convolve64(
	m *machine.Machine, out *tensor.Tensor, win window, groups int, x, w, bias *tensor.Tensor,
) error {
	c, err := newConvolution(win, groups, x, w, bias)
	if err != nil {
		return err
	}
	if err := m.Alloc(out, tensor.Float64, append([]int{x.Shape[0], w.Shape[0]},
		c.out...)...); err != nil {
		return err
	}
	src, dst, weights := tensor.Of[float64](x), tensor.Of[float64](out), tensor.Of[float64](w)
	if len(dst) == 0 {
		return nil
	}
	from, err := c.table(m)
	if err != nil {
		return err
	}
	size, positions, taps := product1(c.in), c.positions(), c.taps()
	depth := c.sources * taps
	columns, err := machine.Scratch[float64](m, depth*positions)
	if err != nil {
		return err
	}
	for i := range x.Shape[0] * c.groups { // (instance, group)
		if err := m.Tick(len(columns)); err != nil {
			return err
		}
		for s := range c.sources {
			picture := src[(i*c.sources+s)*size:][:size]
			for j, q := range from {
				v := 0.0
				if q >= 0 {
					v = picture[q]
				}
				columns[s*len(from)+j] = v
			}
		}
		g := i % c.groups
		part := dst[i*c.maps*positions:][:c.maps*positions]
		if err := productAny(m, part, weights[g*c.maps*depth:][:c.maps*depth], columns, c.maps,
			positions, depth); err != nil {
			return err
		}
		if bias == nil {
			continue
		}
		for j, b := range tensor.Of[float64](bias)[g*c.maps:][:c.maps] {
			for p := range part[j*positions : (j+1)*positions] {
				part[j*positions+p] += b
			}
		}
	}
	return nil
}
