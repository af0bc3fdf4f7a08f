package bagio

import "slices"

// fit returns the shape that instances of shape have take when want is asked for, and whether they
// can. Sides of one may come and go, and a flat vector may be folded or unfolded; axes are never
// exchanged, as pictures with their channels last would need.
func fit(have, want []int) ([]int, bool) {
	if want == nil || slices.Equal(have, want) {
		return have, true
	}
	if slices.ContainsFunc(want, func(d int) bool { return d <= 0 }) {
		return fitOpen(have, want)
	}
	a, b := withoutOnes(have), withoutOnes(want)
	if slices.Equal(a, b) {
		return want, true
	}
	flat := len(a) <= 1 || len(b) <= 1
	return want, flat && product(a) == product(b)
}

// fitOpen is fit for a wanted shape of which some sides are open. A missing channel axis of one is
// put in front.
func fitOpen(have, want []int) ([]int, bool) {
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

func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}

// product returns the number of values of a shape, or -1 when it is beyond 2^40.
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
