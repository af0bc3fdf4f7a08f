package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newClip takes its bounds from attributes before version 11 and from inputs since.
func newClip(n *Node) (Func, error) {
	lowAttr := float64(n.Float("min", -math.MaxFloat32))
	highAttr := float64(n.Float("max", math.MaxFloat32))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, low, high := in[0], given(in, 1), given(in, 2)
		if n.Opset < 11 {
			return mapFloats(m, out[0], x, func(v float64) float64 {
				return min(max(v, lowAttr), highAttr)
			})
		}
		for _, b := range []*tensor.Tensor{low, high} {
			if b != nil && (b.Type != x.Type || b.Len() != 1) {
				return fmt.Errorf("a bound of %v with shape %v does not fit elements of %v",
					b.Type, b.Shape, x.Type)
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
