package stats

import (
	"math"
	"slices"
)

// NonFinite returns where a row has its first NaN or infinity, or -1.
func NonFinite(row []float64) int {
	return slices.IndexFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Mean returns the mean of the finite scores, 0 if there is none.
func Mean(scores []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range scores {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
			n++
		}
	}
	return sum / float64(max(1, n))
}

// Means returns the mean score of each class.
func Means(scores [][]float64) []float64 {
	out := make([]float64, len(scores))
	for n := range scores {
		out[n] = Mean(scores[n])
	}
	return out
}

// Variance returns the mean squared distance of values from their mean.
func Variance(values []float64) float64 {
	center, square := Mean(values), 0.0
	for _, v := range values {
		square += (v - center) * (v - center) / float64(len(values))
	}
	return square
}

// Bridge replaces NaN in a curve by the straight line between the neighbours that are numbers, and
// beyond the last one by its value. The first must be a number. It returns the curve.
func Bridge(curve []float64) []float64 {
	last := 0 // place of the last number
	for at, v := range curve {
		if math.IsNaN(v) {
			curve[at] = curve[last] // unless a number follows
			continue
		}
		for n := last + 1; n < at; n++ {
			share := float64(n-last) / float64(at-last)
			curve[n] = curve[last] + share*(v-curve[last])
		}
		last = at
	}
	return curve
}

// Fill replaces NaN by the extreme of the other values, which is math.Min or math.Max, or by 0 if
// there are none. It returns values.
func Fill(values []float64, extreme func(a, b float64) float64) []float64 {
	fill := math.NaN()
	for _, v := range values {
		if math.IsNaN(fill) {
			fill = v
		} else if !math.IsNaN(v) {
			fill = extreme(fill, v)
		}
	}
	if math.IsNaN(fill) {
		fill = 0
	}
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = fill
		}
	}
	return values
}
