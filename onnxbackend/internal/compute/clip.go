package compute

import (
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// NewClip makes Clip. Its bounds are attributes before version 11 and scalar inputs since.
func NewClip(n *Node) (Func, error) {
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
				return msg.Errorf("a bound of %v with shape %v does not match elements of %v",
					b.Type, b.Shape, x.Type)
			}
		}
		return clipByType.run(m, out[0], x.Type, noParameters{}, x, low, high)
	}, nil
}

// FuseClip bounds float32 after a layer. Its bounds are attributes, or constants.
func FuseClip(n *Node, e *epilogue) {
	low, high := n.Float("min", -math.MaxFloat32), n.Float("max", math.MaxFloat32)
	if n.Opset >= 11 {
		low, high = bounds(n.constant(1), n.constant(2))
	}
	e.after = func(block []float32) { kernel.Clamp(block, block, low, high) }
}

// bounds returns the bounds of a Clip in float32, infinite where one is omitted.
func bounds(low, high *tensor.Tensor) (lo, hi float32) {
	lo, hi = float32(math.Inf(-1)), float32(math.Inf(1))
	if low != nil {
		lo = tensor.Of[float32](low)[0]
	}
	if high != nil {
		hi = tensor.Of[float32](high)[0]
	}
	return lo, hi
}

// clip32 is clip for float32.
func clip32(
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, _ noParameters,
) error {
	lo, hi := bounds(in[1], in[2])
	return mapRows(m, out, in[0], func(dst, src []float32) { kernel.Clamp(dst, src, lo, hi) })
}

// clipByType bounds integers too, which version 12 introduced.
var clipByType = byType[noParameters]{
	f32: clip32, f64: clip[float64], i64: clip[int64], u64: clip[uint64],
}

// clip bounds the elements of input 0 by the scalars in inputs 1 and 2, either of which may be nil.
func clip[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, _ noParameters,
) error {
	x, low, high := in[0], in[1], in[2]
	var lo, hi T
	if low != nil {
		lo = tensor.Of[T](low)[0]
	}
	if high != nil {
		hi = tensor.Of[T](high)[0]
	}
	return mapEach(m, out, x, x.Type, func(v T) T {
		// NaN passes, since it compares false with both bounds. If low exceeds high, high wins.
		if low != nil && v < lo {
			v = lo
		}
		if high != nil && v > hi {
			v = hi
		}
		return v
	})
}
