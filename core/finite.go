package core

import (
	"math"
	"slices"
)

// nonFinite returns where a row has its first NaN or infinity, or -1.
func nonFinite(row []float64) int {
	return slices.IndexFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// mean returns the mean of the finite scores, 0 if there is none.
func mean(scores []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range scores {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
			n++
		}
	}
	return sum / float64(max(1, n))
}

// means returns the mean score of each class.
func means(scores [][]float64) []float64 {
	out := make([]float64, len(scores))
	for n := range scores {
		out[n] = mean(scores[n])
	}
	return out
}

// variance returns the mean squared distance of values from their mean.
func variance(values []float64) float64 {
	center, square := mean(values), 0.0
	for _, v := range values {
		square += (v - center) * (v - center) / float64(len(values))
	}
	return square
}

// quantile returns the t that Student's distribution exceeds with a probability.
func quantile(probability, freedom float64) float64 {
	lo, hi := 0.0, 1.0
	for tails(hi, freedom) > 2*probability && hi < 1e100 {
		lo, hi = hi, 2*hi
	}
	for range 60 {
		if mid := (lo + hi) / 2; tails(mid, freedom) > 2*probability {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
