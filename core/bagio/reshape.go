package bagio

import (
	"math"
	"slices"
)

// reshape returns the shape of instances of shape from after reshaping to the shape to, and whether
// that is possible. Axes of size 1 may be added or removed, and a vector may become an array or the
// reverse. Axes are never transposed, so that pictures with channels last do not fit a model with
// channels first.
func reshape(from, to []int) ([]int, bool) {
	if to == nil || slices.Equal(from, to) {
		return from, true
	}
	if slices.ContainsFunc(to, func(d int) bool { return d <= 0 }) {
		return reshapeOpen(from, to)
	}
	a, b := withoutOnes(from), withoutOnes(to)
	if slices.Equal(a, b) {
		return to, true
	}
	// A vector and an array of the same number of values from the same order of values in memory.
	flat := len(a) <= 1 || len(b) <= 1
	return to, flat && product(a) == product(b)
}

// reshapeOpen is reshape for a shape to with open dimensions, 0 or negative. It adds a missing
// first axis of size 1, the channel.
func reshapeOpen(from, to []int) ([]int, bool) {
	if len(from) == len(to)-1 {
		from = append([]int{1}, from...)
	}
	if len(from) != len(to) {
		return nil, false
	}
	for i, d := range to {
		if d > 0 && d != from[i] {
			return nil, false
		}
	}
	return from, true
}

// withoutOnes returns a shape without its axes of size 1.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}

// mostValues bounds the product of a shape. On some platforms int has 32 bits.
const mostValues = min(1<<40, math.MaxInt)

// product returns the number of values of a shape, or -1 if it exceeds mostValues. Shapes of models
// and of files may be too large for an int.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		if d > 0 && n > mostValues/d {
			return -1
		}
		n *= d
	}
	return n
}
