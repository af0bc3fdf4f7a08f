package bagio

import "slices"

// reshape returns the shape of instances of shape have after reshaping to want, and whether that is
// possible. Axes of size 1 may be added or removed, and a vector may become an array or the
// reverse. Axes are never transposed, so that pictures with channels last do not fit a model with
// channels first.
func reshape(have, want []int) ([]int, bool) {
	if want == nil || slices.Equal(have, want) {
		return have, true
	}
	if slices.ContainsFunc(want, func(d int) bool { return d <= 0 }) {
		return reshapeOpen(have, want)
	}
	a, b := withoutOnes(have), withoutOnes(want)
	if slices.Equal(a, b) {
		return want, true
	}
	// A vector and an array of the same number of values have the same order of values in memory.
	flat := len(a) <= 1 || len(b) <= 1
	return want, flat && product(a) == product(b)
}

// reshapeOpen is reshape for a shape want with open dimensions, 0 or negative. It adds a missing
// first axis of size 1, the channel.
func reshapeOpen(have, want []int) ([]int, bool) {
	if len(have) == len(want)-1 {
		have = append([]int{1}, have...)
	}
	if len(have) != len(want) {
		return nil, false
	}
	for i, d := range want {
		if d > 0 && d != have[i] {
			return nil, false
		}
	}
	return have, true
}

// withoutOnes returns a shape without its axes of size 1.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}

// product returns the number of values of a shape, or -1 if it exceeds 2^40.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		if d > 0 && n > (1<<40)/d {
			return -1
		}
		n *= d
	}
	return n
}
