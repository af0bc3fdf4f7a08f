// Package tolerance compares scores that were computed in two ways.
package tolerance

import "math"

// For returns the largest difference between two ways to score n instances, relative to the largest
// of the scores compared. The scale is the largest score because scores near zero are differences
// of larger numbers. The term in n bounds the rounding of a float32 sum: n terms in one chain may
// be off by n·2^-24 of their sizes.
func For(n int) float64 { return 1e-5 + float64(n)*0x1p-27 }

// Device is the least tolerance if a device computed one of them and the CPU the other: both sum
// float32 numbers in another order.
const Device = 1e-4

// Agree reports whether scores x and y of at most n instances are the same up to rounding.
func Agree(x, y []float64, n int) bool { return Within(x, y, For(n)) }

// Within reports whether x and y, of one length, differ by at most tolerance times the largest
// finite magnitude in y. Two NaN agree, and so do two equal infinities.
func Within(x, y []float64, tolerance float64) bool {
	scale := math.SmallestNonzeroFloat64
	for _, v := range y {
		if v-v == 0 { // it is finite; max returns NaN if one of its arguments is NaN
			scale = max(scale, math.Abs(v))
		}
	}
	within := tolerance * scale
	for i, v := range x {
		if v != y[i] && !(math.Abs(v-y[i]) <= within) && !(math.IsNaN(v) && math.IsNaN(y[i])) {
			return false
		}
	}
	return true
}

// NonFinite returns the place of the first value that is NaN or infinite, or -1. It is fast enough
// to check every value of a bag.
func NonFinite[T float32 | float64](values []T) int {
	const block = 1024
	for lo := 0; lo < len(values); lo += block {
		part := values[lo:min(lo+block, len(values))]
		// x - x is 0 if x is finite, and else NaN. Four sums add in parallel.
		var a, b, c, d T
		rest := part
		for ; len(rest) >= 4; rest = rest[4:] {
			a += rest[0] - rest[0]
			b += rest[1] - rest[1]
			c += rest[2] - rest[2]
			d += rest[3] - rest[3]
		}
		for _, v := range rest {
			a += v - v
		}
		if a+b+c+d == 0 {
			continue
		}
		for i, v := range part {
			if v-v != 0 {
				return lo + i
			}
		}
	}
	return -1
}
