package core

// newMatrix returns a matrix of zeros.
func newMatrix(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// column returns column c of m, which is row-major with the given number of columns.
func column(m []float64, columns, c int) []float64 {
	out := make([]float64, len(m)/columns)
	for i := range out {
		out[i] = m[i*columns+c]
	}
	return out
}

// negated returns -x for each x.
func negated(list []float64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = -v
	}
	return out
}

// total returns the sum of a list, added in order.
func total(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// addRow adds a row to dst.
func addRow(dst, row []float64) {
	for i, v := range row {
		dst[i] += v
	}
}

// divide divides each entry of a row.
func divide(row []float64, by float64) {
	for i := range row {
		row[i] /= by
	}
}

// indices returns 0 to n-1.
func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
