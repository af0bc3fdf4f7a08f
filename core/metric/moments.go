package metric

import "math"

// moments computes the mean and the variance of each element over a sequence of vectors (Welford,
// Note on a Method for Calculating Corrected Sums of Squares and Products, 1962).
type moments struct {
	n       int
	mean    []float64
	squares []float64 // sum of squares around the mean
}

// add adds a vector. All vectors must have the length of the first.
func (m *moments) add(values []float64) {
	if m.n == 0 {
		m.mean, m.squares = make([]float64, len(values)), make([]float64, len(values))
	}
	m.n++
	for i, v := range values {
		off := v - m.mean[i]
		m.mean[i] += off / float64(m.n)
		m.squares[i] += off * (v - m.mean[i])
	}
}

// deviation returns the sample standard deviation of element i; it needs at least two vectors.
func (m *moments) deviation(i int) float64 { return math.Sqrt(m.squares[i] / float64(m.n-1)) }
