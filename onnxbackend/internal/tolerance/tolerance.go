// Package tolerance compares scores that were computed in two ways.
package tolerance

import "math"

// For returns how far two ways to score n instances may differ, relative to the largest of the
// scores compared. Scores near zero are differences of larger numbers. A float32 sum of n terms in
// one chain may be off by n·2^-24 of their sizes: 4e-5 was seen with 100,000 instances and 2e-4
// with 200,000.
func For(n int) float64 { return 1e-5 + float64(n)*0x1p-27 }

// Agree reports whether scores x and y of at most n instances are the same up to rounding.
func Agree(x, y []float64, n int) bool { return Within(x, y, For(n)) }

// Within reports whether x and y, of one length, differ by at most tolerance times the largest
// finite magnitude in y. Two NaN agree, and so do two equal infinities.
func Within(x, y []float64, tolerance float64) bool {
	scale := math.SmallestNonzeroFloat64
	for _, v := range y {
		if !math.IsInf(v, 0) {
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
