package metric

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// Spearman returns the rank correlation of two lists of scores, with mean ranks for ties. It is 1
// if the ranks are equal, also if all are tied, 0 if only one list is tied, and NaN for fewer than
// two scores.
func Spearman(a, b []float64) float64 {
	if len(a) < 2 {
		return math.NaN()
	}
	x, y := meanRanks(a), meanRanks(b)
	if slices.Equal(x, y) {
		return 1
	}
	middle := float64(len(a)-1) / 2
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-middle, y[i]-middle
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// meanRanks returns the rank of each score from the highest, 0 first, equal scores with their mean.
func meanRanks(scores []float64) []float64 {
	order := core.OrderTies(scores, upTo(len(scores)))
	out := make([]float64, len(scores))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && scores[order[hi]] == scores[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return out
}

// upTo returns 0 to k-1.
func upTo(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}
