package compute

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A scaleLayout says which scale and zero point belong to which element: one for all, one for each
// place of an axis, or one for each block of places of it.
type scaleLayout struct {
	// outer, n and inner are the sizes before, at and after the axis.
	outer, n, inner int
	// block is the number of places of the axis that share a scale.
	block int
	// strides are those of outer, blocks and inner in the list of scales.
	strides [3]int
}

// newScaleLayout checks the shapes of scales and zero points against that of the data. block is
// attribute block_size, 0 for one scale for each place of the axis.
func newScaleLayout(
	shape []int, scale, zero *tensor.Tensor, axis, block int,
) (g scaleLayout, err error) {
	if zero != nil && !slices.Equal(zero.Shape, scale.Shape) &&
		zero.Len()+scale.Len() != 2 {
		return g, msg.Errorf("zero points of shape %v do not match scales of shape %v", zero.Shape,
			scale.Shape)
	}
	// One scale for all elements: they form one run.
	if scale.Len() == 1 {
		return scaleLayout{outer: 1, n: 1, inner: elements(shape), block: 1}, nil
	}
	a, err := axisOf(axis, len(shape))
	if err != nil {
		return g, err
	}
	g.outer, g.n, g.inner = splitAt(shape, a)
	misfit := msg.Errorf("scales of shape %v do not match axis %d of shape %v in blocks of %d",
		scale.Shape, a, shape, block)
	if block == 0 {
		g.block, g.strides = 1, [3]int{0, 1, 0}
		if scale.Rank() != 1 || scale.Len() != g.n {
			return g, misfit
		}
		return g, nil
	}
	if block < 0 || scale.Rank() != len(shape) {
		return g, misfit
	}
	// The last block may be smaller.
	blocks := (g.n + block - 1) / block
	g.block, g.strides = block, [3]int{blocks * g.inner, g.inner, 1}
	for i, d := range shape {
		if i == a {
			d = blocks
		}
		if scale.Shape[i] != d {
			return g, misfit
		}
	}
	return g, nil
}

// each calls f for every element of the data, in order, with the place of its scale.
func (g scaleLayout) each(m *machine.Machine, f func(i, scale int)) error {
	at := 0
	for o := range g.outer {
		for j := range g.n {
			if err := m.Tick(4 * g.inner); err != nil {
				return err
			}
			from := o*g.strides[0] + j/g.block*g.strides[1]
			for i := range g.inner {
				f(at, from+i*g.strides[2])
				at++
			}
		}
	}
	return nil
}

// zeroAt returns a zero point: 0 if there are none, and the only one if there is one.
func zeroAt(zero []float64, i int) float64 {
	switch len(zero) {
	case 0:
		return 0
	case 1:
		return zero[0]
	}
	return zero[i]
}

// NewQuantizeLinear makes QuantizeLinear. It rounds x / scale to the nearest integer, ties to even,
// adds the zero point and clips to the range of the type. Real types of 8 bits or fewer are rounded
// to directly. The type of the result is that of the zero point, attribute output_dtype, or uint8.
func NewQuantizeLinear(n *Node) (Func, error) {
	axis, block, to, saturate := n.Int("axis", 1), n.Int("block_size", 0),
		tensor.Type(n.Int("output_dtype", 0)), n.Int("saturate", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, scale, zero := in[0], in[1], given(in, 2)
		typ := to
		switch {
		case zero != nil:
			typ = zero.Type
		case typ == tensor.Undefined:
			typ = tensor.Uint8
		}
		least, largest, integer := typ.Integer()
		if !integer && !typ.Mini() {
			return typeError(typ)
		}
		g, err := newScaleLayout(x.Shape, scale, zero, axis, block)
		if err != nil {
			return err
		}
		src, s, z, err := quantizedInputs(m, x, scale, zero)
		if err != nil {
			return err
		}
		// The quotient is rounded to float32 first, as in float32 arithmetic, which decides ties.
		single := x.Type != tensor.Float64 && scale.Type != tensor.Float64
		quantize := func(dst []float64) error {
			return g.each(m, func(i, at int) {
				q := src[i] / s[at]
				if single { // ties are those of float32
					q = float64(float32(src[i]) / float32(s[at]))
				}
				switch {
				case typ == tensor.Float4E2M1:
					q += zeroAt(z, at)
				case integer:
					q = max(least, min(largest, math.RoundToEven(q)+zeroAt(z, at)))
				}
				dst[i] = q
			})
		}
		if integer {
			return viaFloat64(m, out[0], typ, x.Shape, quantize)
		}
		var real tensor.Tensor
		if err := viaFloat64(m, &real, tensor.Float32, x.Shape, quantize); err != nil {
			return err
		}
		defer m.Release(&real)
		return toMini(m, out[0], &real, typ, saturate, "up")
	}, nil
}

// quantizedInputs returns the data, its scales and its zero points as float64. The last are nil if
// omitted.
func quantizedInputs(
	m *machine.Machine, x, scale, zero *tensor.Tensor,
) (src, s, z []float64, err error) {
	if src, err = asFloat64(m, x); err == nil {
		s, err = asFloat64(m, scale)
	}
	if err == nil {
		z, err = asFloat64(m, zero)
	}
	return src, s, z, err
}

// NewDequantizeLinear makes DequantizeLinear: (x - zero point) · scale, in the type of the scale.
func NewDequantizeLinear(n *Node) (Func, error) {
	axis, block, to := n.Int("axis", 1), n.Int("block_size", 0),
		tensor.Type(n.Int("output_dtype", 0))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, scale, zero := in[0], in[1], given(in, 2)
		typ := to.Runtime()
		if typ == tensor.Undefined {
			typ = scale.Type
		}
		if !typ.Float() {
			return typeError(typ)
		}
		g, err := newScaleLayout(x.Shape, scale, zero, axis, block)
		if err != nil {
			return err
		}
		src, s, z, err := quantizedInputs(m, x, scale, zero)
		if err != nil {
			return err
		}
		return viaFloat64(m, out[0], typ, x.Shape, func(dst []float64) error {
			return g.each(m, func(i, at int) { dst[i] = (src[i] - zeroAt(z, at)) * s[at] })
		})
	}, nil
}

// NewDynamicQuantizeLinear makes DynamicQuantizeLinear. It quantises float32 to uint8 over the
// range of the elements and zero. Further outputs are the scale and the zero point.
func NewDynamicQuantizeLinear(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Type != tensor.Float32 {
			return typeError(x.Type)
		}
		src := tensor.Of[float32](x)
		if err := m.Tick(4 * len(src)); err != nil {
			return err
		}
		var low, high float32
		for _, v := range src {
			low, high = min(low, v), max(high, v)
		}
		scale := (high - low) / 255
		// All elements are zero. Any scale represents them, and 1 avoids a division by zero.
		if scale == 0 {
			scale = 1
		}
		zero := max(0, min(255, math.RoundToEven(float64(-low/scale))))
		// The outputs are the elements, the scale and the zero point; the latter are scalars.
		for i, t := range []tensor.Type{tensor.Uint8, tensor.Float32, tensor.Uint8} {
			var shape []int
			if i == 0 {
				shape = x.Shape
			}
			if i >= len(out) {
				break
			}
			if err := m.Alloc(out[i], t, shape...); err != nil {
				return err
			}
		}
		if len(out) > 1 {
			tensor.Of[float32](out[1])[0] = scale
		}
		if len(out) > 2 {
			tensor.Of[uint8](out[2])[0] = uint8(zero)
		}
		dst := tensor.Of[uint8](out[0])
		for i, v := range src {
			dst[i] = uint8(max(0, min(255, math.RoundToEven(float64(v/scale))+zero)))
		}
		return nil
	}, nil
}
