package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newWhere(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		c, a, b := in[0], in[1], in[2]
		if c.Type != tensor.Bool {
			return fmt.Errorf("its condition is of %v instead of bool", c.Type)
		}
		if a.Type != b.Type {
			return mixedError(a.Type, b.Type)
		}
		shape, err := broadcastShape(m.Ints(max(a.Rank(), b.Rank()))[:0], a.Shape, b.Shape)
		if err != nil {
			return err
		}
		if shape, err = broadcastShape(m.Ints(max(len(shape), c.Rank()))[:0], shape, c.Shape); err != nil {
			return err
		}
		if err := m.Alloc(out[0], a.Type, shape...); err != nil {
			return err
		}
		if err := m.Tick(out[0].Len()); err != nil {
			return err
		}
		w := newWalk(m, shape, c.Shape, a.Shape, b.Shape)
		last := len(w.dims) - 1
		cond, x, y, dst, size := tensor.Of[uint8](c), bytesOf(a), bytesOf(b), bytesOf(out[0]), a.Type.Size()
		return w.rows(func(at int, from []int) error {
			for i := range w.dims[last] {
				src, p := x, from[1]+i*w.strides[1][last]
				if cond[from[0]+i*w.strides[0][last]] == 0 {
					src, p = y, from[2]+i*w.strides[2][last]
				}
				copy(dst[(at+i)*size:(at+i+1)*size], src[p*size:])
			}
			return nil
		})
	}, nil
}

// newClip takes its bounds from attributes before version 11 and from inputs since.
func newClip(n *Node) (Func, error) {
	lowAttr, highAttr := float64(n.Float("min", -math.MaxFloat32)), float64(n.Float("max", math.MaxFloat32))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, low, high := in[0], given(in, 1), given(in, 2)
		if n.Opset < 11 {
			return mapFloats(m, out[0], x, func(v float64) float64 { return min(max(v, lowAttr), highAttr) })
		}
		for _, b := range []*tensor.Tensor{low, high} {
			if b != nil && (b.Type != x.Type || b.Len() != 1) {
				return fmt.Errorf("a bound of %v with shape %v does not fit elements of %v", b.Type, b.Shape, x.Type)
			}
		}
		return clip(m, out[0], x, low, high)
	}, nil
}

func clip(m *machine.Machine, out, x, low, high *tensor.Tensor) error {
	switch x.Type {
	case tensor.Float32:
		return clipWide[float32](m, out, x, low, high)
	case tensor.Float64:
		return clipWide[float64](m, out, x, low, high)
	case tensor.Int64:
		return clipWide[int64](m, out, x, low, high)
	case tensor.Uint64:
		return clipWide[uint64](m, out, x, low, high)
	}
	if !narrow(x.Type) {
		return typeError(x.Type)
	}
	return widened(m, out, x.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
		return clip(m, out, in[0], in[1], in[2])
	}, x, low, high)
}

func clipWide[T tensor.Number](m *machine.Machine, out, x, low, high *tensor.Tensor) error {
	var lo, hi T
	if low != nil {
		lo = tensor.Of[T](low)[0]
	}
	if high != nil {
		hi = tensor.Of[T](high)[0]
	}
	return mapEach(m, out, x, x.Type, func(v T) T {
		if low != nil && v < lo {
			v = lo
		}
		if high != nil && v > hi {
			v = hi
		}
		return v
	})
}

// newPow computes powers in the base's type, whatever the exponent's is.
func newPow(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		a, b := in[0], in[1]
		if !a.Type.Float() && b.Type.Float() {
			return realPow(m, out[0], a, b)
		}
		exponent := tensor.Tensor{}
		if err := Convert(m, &exponent, b, a.Type); err != nil {
			return err
		}
		defer m.Release(&exponent)
		switch a.Type {
		case tensor.Float32:
			return pairwise(m, out[0], a, &exponent, a.Type, powRow[float32])
		case tensor.Float64:
			return pairwise(m, out[0], a, &exponent, a.Type, powRow[float64])
		case tensor.Int64:
			return pairwise(m, out[0], a, &exponent, a.Type, each(intPow))
		case tensor.Int32:
			return widened(m, out[0], a.Type, func(out *tensor.Tensor, in []*tensor.Tensor) error {
				return pairwise(m, out, in[0], in[1], tensor.Int64, each(intPow))
			}, a, &exponent)
		}
		return typeError(a.Type)
	}, nil
}

// realPow raises integers to real powers and drops the fraction.
func realPow(m *machine.Machine, out, a, b *tensor.Tensor) error {
	var base, exponent, result tensor.Tensor
	defer func() { m.Release(&base); m.Release(&exponent); m.Release(&result) }()
	if err := Convert(m, &base, a, tensor.Float64); err != nil {
		return err
	}
	if err := Convert(m, &exponent, b, tensor.Float64); err != nil {
		return err
	}
	if err := pairwise(m, &result, &base, &exponent, tensor.Float64, powRow[float64]); err != nil {
		return err
	}
	return Convert(m, out, &result, a.Type)
}

// powRow squares and roots without the general power, which is what normalisation layers ask for.
func powRow[T float32 | float64](dst, a, b []T) {
	if len(b) == 1 && len(a) == len(dst) {
		switch b[0] {
		case 1:
			copy(dst, a)
			return
		case 2:
			for i, v := range a {
				dst[i] = v * v
			}
			return
		case 0.5:
			for i, v := range a {
				dst[i] = T(math.Sqrt(float64(v)))
			}
			return
		}
	}
	each(func(x, y T) T { return T(math.Pow(float64(x), float64(y))) })(dst, a, b)
}

func intPow(base, exponent int64) int64 {
	if exponent < 0 {
		switch {
		case base == 1, base == -1 && exponent%2 == 0:
			return 1
		case base == -1:
			return -1
		}
		return 0
	}
	r := int64(1)
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			r *= base
		}
		base *= base
	}
	return r
}
