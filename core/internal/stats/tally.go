package stats

import (
	"math"

	"github.com/bagscope/bagscope/core/internal/linear"
)

// A Tally holds the sums of drawn numbers and of their squares, for several quantities.
type Tally struct {
	sum, square []float64
	count       []int32
}

// NewTally returns a tally of n quantities without numbers.
func NewTally(n int) Tally {
	return Tally{make([]float64, n), make([]float64, n), make([]int32, n)}
}

// Add adds a number to quantity at. It ignores NaN.
func (s *Tally) Add(at int, v float64) {
	if math.IsNaN(v) {
		return
	}
	s.sum[at] += v
	s.square[at] += v * v
	s.count[at]++
}

// Merge adds the numbers of another tally.
func (s *Tally) Merge(other Tally) {
	linear.AddRow(s.sum, other.sum)
	linear.AddRow(s.square, other.square)
	for i, n := range other.count {
		s.count[i] += n
	}
}

// Means returns the means and their standard errors: +Inf for fewer than two numbers.
func (s *Tally) Means() (means, errors []float64) {
	means, errors = make([]float64, len(s.sum)), make([]float64, len(s.sum))
	for i, count := range s.count {
		n := float64(count)
		if count > 0 {
			means[i] = s.sum[i] / n
		}
		if errors[i] = math.Inf(1); count > 1 {
			squares := max(0, s.square[i]-n*means[i]*means[i])
			errors[i] = math.Sqrt(squares / (n * (n - 1)))
		}
	}
	return means, errors
}
