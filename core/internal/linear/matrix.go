// Package linear solves the systems of equations of surrogates. Matrices are row-major.
package linear

// NewMatrix returns a matrix of zeros.
func NewMatrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// Column returns column c of m, which is row-major with the given number of columns.
func Column(m []float64, columns, c int) []float64 {
	out := make([]float64, len(m)/columns)
	for i := range out {
		out[i] = m[i*columns+c]
	}
	return out
}

// Negated returns -x for each x.
func Negated(list []float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = -v
	}
	return out
}

// Total returns the sum of a list, added in order.
func Total(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// AddRow adds a row to dst.
func AddRow(dst, row []float64) {
	for i, v := range row {
		dst[i] += v
	}
}

// Divide divides each entry of a row.
func Divide(row []float64, by float64) {
	for i := range row {
		row[i] /= by
	}
}

// Indices returns 0 to n-1.
func Indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// CentreBothWays subtracts the means of rows and columns from the matrix, then adds the mean
// diagonal in the direction of the vector of ones.
func (m *Symmetric) CentreBothWays() {
	means := make([]float64, m.N)
	for i := range m.N {
		row := m.Upper(i)
		means[i] += row[0]
		for l, v := range row[1:] {
			means[i] += v
			means[i+1+l] += v
		}
	}
	Divide(means, float64(m.N))
	all := 0.0
	for _, v := range means {
		all += v / float64(m.N)
	}
	for i := range m.N {
		row := m.Upper(i)
		for l := range row {
			row[l] += all - means[i] - means[i+l]
		}
	}
	diagonal := m.MeanDiagonal() / float64(m.N)
	for i := range m.N {
		row := m.Upper(i)
		for l := range row {
			row[l] += diagonal
		}
	}
}
