package core

import "slices"

// Layout returns the shape of the input that takes the bag, or nil if it is unknown. Open
// dimensions are below zero.
func (i ModelInfo) Layout() []int {
	at := slices.IndexFunc(i.Inputs, func(t TensorInfo) bool { return t.Name == i.Input })
	if at < 0 || i.InstanceAxis < 0 || i.InstanceAxis >= len(i.Inputs[at].Shape) {
		return nil
	}
	return i.Inputs[at].Shape
}

// MayBatch reports whether the first two axes of the input are open, so that the first axis may be
// a batch of bags.
func (i ModelInfo) MayBatch() bool {
	layout := i.Layout()
	return len(layout) > 2 && layout[0] < 0 && layout[1] < 0
}

// InstanceShape returns the shape of the input without the axis of instances and without a batch
// axis of size 1 before it. It returns nil if the shape is unknown or instances are single numbers.
func (i ModelInfo) InstanceShape() []int {
	layout := i.Layout()
	if len(layout) < 2 {
		return nil
	}
	before, after := layout[:i.InstanceAxis], layout[i.InstanceAxis+1:]
	if len(before) > 0 && before[0] <= 1 {
		before = before[1:]
	}
	if shape := slices.Concat(before, after); len(shape) > 0 {
		return shape
	}
	return nil
}
