package compute

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// An AxisRange is a Slice along one axis: n elements from start, step apart.
type AxisRange struct{ Axis, Start, Step, N int }

// NewSlice makes Slice. Starts, ends and axes are attributes before version 10, and inputs since
// then, with steps in addition.
func NewSlice(n *Node) (Func, error) {
	var fixed [4][]int
	if n.Opset < 10 {
		fixed = [4][]int{n.Ints("starts"), n.Ints("ends"), n.Ints("axes"), nil}
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		lists := fixed
		for i := 1; i < len(in); i++ {
			if in[i] == nil {
				continue
			}
			var err error
			if lists[i-1], err = intsIn(m, in[i]); err != nil {
				return err
			}
		}
		x := in[0]
		var few [4]AxisRange
		ranges, err := AxisRanges(few[:0], x.Shape, lists)
		if err != nil {
			return err
		}
		var space [8]int
		// Each range changes the size, the stride and the first element of one axis, so that one
		// strided copy makes the result.
		shape, step, offset := append(space[:0], x.Shape...), strides(m, x.Shape), 0
		for _, c := range ranges {
			shape[c.Axis] = c.N
			offset += c.Start * step[c.Axis]
			step[c.Axis] *= c.Step
		}
		return stridedCopy(m, out[0], x, shape, offset, shape, step)
	}, nil
}

// AxisRanges appends starts, ends, axes and steps, resolved against a shape and clamped as ONNX
// defines it. lists holds the four; the last two may be nil. Without axes, the lists belong to the
// first dimensions; without steps, each step is 1.
func AxisRanges(ranges []AxisRange, shape []int, lists [4][]int) ([]AxisRange, error) {
	starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
	if len(starts) != len(ends) || axes != nil && len(axes) != len(starts) ||
		steps != nil && len(steps) != len(starts) {
		return nil, msg.Errorf("starts %v, ends %v, axes %v and steps %v differ in length",
			starts, ends, axes, steps)
	}
	var marks [8]bool
	seen := append(marks[:0], make([]bool, len(shape))...)
	for i := range starts {
		axis, step := i, 1
		if axes != nil {
			axis = axes[i]
		}
		if steps != nil {
			step = steps[i]
		}
		a, ok := tensor.Axis(axis, len(shape))
		if !ok || seen[a] {
			return nil, AxisError(axis, len(shape))
		}
		seen[a] = true
		if step == 0 {
			return nil, fmt.Errorf("a step is 0")
		}
		ranges = append(ranges, newAxisRange(a, starts[i], ends[i], step, shape[a]))
	}
	return ranges, nil
}

// newAxisRange returns the range of an axis of size d. A negative start or end counts from the end.
// Positive steps clamp to [0, d], negative ones to [-1, d-1], where -1 is the end before the first
// place.
func newAxisRange(axis, start, end, step, d int) AxisRange {
	if start < 0 {
		start += d
	}
	if end < 0 {
		end += d
	}
	n := 0
	if step > 0 {
		start, end = max(0, min(start, d)), max(0, min(end, d))
		if end > start {
			n = (end-start-1)/step + 1
		}
	} else if d > 0 {
		start, end = max(0, min(start, d-1)), max(-1, min(end, d-1))
		if start > end {
			n = (start-end-1)/-step + 1
		}
	}
	if n == 0 {
		start = 0
	}
	return AxisRange{axis, start, step, n}
}
