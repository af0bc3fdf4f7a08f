package metric

import "math"

// moments are the means and variances of vectors that come one after another, element by element.
// (Welford, Note on a Method for Calculating Corrected Sums of Squares and Products, 1962.)
type moments struct {
	n       int
	mean    []float64
	squares []float64 // sum of squares around the mean
}

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

// deviation returns the sample standard deviation of element i; there must be two vectors.
func (m *moments) deviation(i int) float64 { return math.Sqrt(m.squares[i] / float64(m.n-1)) }
