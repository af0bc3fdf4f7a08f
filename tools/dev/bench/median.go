package main

import (
	"math"
	"slices"
)

// median returns the median of a list, or NaN for an empty list.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// ratio returns a/b, or nil unless both are positive and finite.
func ratio(a, b float64) *float64 {
	// A missing measurement is 0, and the comparison is false for NaN.
	if !(a > 0) || !(b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return nil
	}
	q := a / b
	return &q
}
