package bagio

import (
	"path"
	"slices"
)

// A sparseMatrix holds the entries other than 0 of a matrix, by rows (CSR, of SciPy), by columns
// (CSC) or in any order (COO): a group of an HDF5 file or a Zarr store that AnnData, h5sparse or
// MATLAB has written, or an archive of SciPy.
type sparseMatrix struct {
	path      string // "X"
	shape     []int
	byColumns bool
	// values; the row or column of each; and where each column or row begins among them, or instead
	// of this the row of each
	data, indices, starts, rows storedList
}

// sparseOf returns the sparse matrix that the attributes of a group describe, or nil.
func sparseOf(path string, said attributes) *sparseMatrix {
	m := &sparseMatrix{path: path}
	switch kind, _ := said["encoding-type"].(string); kind {
	case "csr_matrix", "csc_matrix":
		m.byColumns = kind == "csc_matrix"
		m.shape = wholeNumbers(said["shape"])
	default: // files of AnnData before 0.7
		kind, _ := said["h5sparse_format"].(string)
		m.byColumns = kind == "csc"
		m.shape = wholeNumbers(said["h5sparse_shape"])
		if kind != "csr" && kind != "csc" {
			return nil
		}
	}
	if len(m.shape) != 2 {
		return nil
	}
	return m
}

// sparseMatrices returns the sparse matrices among groups by their paths. lists are those of the
// file.
func sparseMatrices(groups map[string]attributes, lists []pathList) map[string]*sparseMatrix {
	out := map[string]*sparseMatrix{}
	for path, said := range groups {
		if m := sparseOf(path, said); m != nil {
			out[path] = m
		}
	}
	for _, d := range lists {
		m := out[path.Dir(d.path)]
		if m == nil {
			continue
		}
		switch path.Base(d.path) {
		case "data":
			m.data = d
		case "indices":
			m.indices = d
		case "indptr":
			m.starts = d
		}
	}
	for at, m := range out {
		if m.data == nil || m.indices == nil || m.starts == nil {
			delete(out, at)
		}
	}
	return out
}

// wholeNumbers returns an attribute of whole numbers of at least 0, or nil.
func wholeNumbers(attribute any) []int {
	numbers, _ := attribute.([]float64)
	var out []int
	for _, v := range numbers {
		if v != float64(int32(v)) || v < 0 {
			return nil
		}
		out = append(out, int(v))
	}
	return out
}

// array reads the matrix, row-major, as float32 if its values fit, else as float64. Entries that
// are stored several times add up, as in SciPy.
func (m *sparseMatrix) array(file string, l Limits) (*Array, error) {
	file += "/" + m.path
	n, err := l.elements(file, m.shape)
	if err != nil {
		return nil, err
	}
	values, rows, columns, err := m.entries(file, l)
	if err != nil {
		return nil, err
	}
	size := 8
	if m.data.narrow() {
		size = 4
	}
	if err := l.bytes(file, int64(n)*int64(size)); err != nil {
		return nil, err
	}
	if err := l.reserve(file, int64(n)*int64(size)); err != nil {
		return nil, err
	}
	if size == 4 {
		return scattered[float32](m, file, n, values, rows, columns), nil
	}
	return scattered[float64](m, file, n, values, rows, columns), nil
}

// scattered returns the n elements of the matrix, to which the stored values are added.
func scattered[T float32 | float64](
	m *sparseMatrix, file string, n int, values []float64, rows, columns []int64,
) *Array {
	dense := make([]T, n)
	for j, v := range values {
		dense[int(rows[j])*m.shape[1]+int(columns[j])] += T(v)
	}
	return arrayOf(file, m.shape, dense)
}

// entries reads and checks what is stored: values, and the row and the column of each. Errors are a
// *FormatError if they contradict each other.
func (m *sparseMatrix) entries(
	file string, l Limits,
) (values []float64, rows, columns []int64, err error) {
	count := m.data.len()
	if values, err = m.data.numbers(); err != nil {
		return nil, nil, nil, err
	}
	if columns, err = m.indices.wholes(); err != nil {
		return nil, nil, nil, err
	}
	if m.rows != nil {
		rows, err = m.rows.wholes()
	} else {
		rows, err = m.lines(file, l)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if m.byColumns {
		rows, columns = columns, rows
	}
	if len(rows) != count || len(columns) != count {
		return nil, nil, nil, bad(file, "a sparse matrix of shape %s has %d values, %d rows and "+
			"%d columns of values", shapeText(m.shape), count, len(rows), len(columns))
	}
	outside := func(list []int64, side int) bool {
		return slices.ContainsFunc(list, func(v int64) bool { return v < 0 || v >= int64(side) })
	}
	if outside(rows, m.shape[0]) || outside(columns, m.shape[1]) {
		return nil, nil, nil, bad(file, "the indices of a sparse matrix lie outside of its shape "+
			"%s", shapeText(m.shape))
	}
	return values, rows, columns, nil
}

// lines returns the row of each value, or the column by columns, from where these begin.
func (m *sparseMatrix) lines(file string, l Limits) ([]int64, error) {
	count, lines := m.data.len(), m.shape[0]
	if m.byColumns {
		lines = m.shape[1]
	}
	starts, err := m.starts.wholes()
	if err != nil {
		return nil, err
	}
	if len(starts) != lines+1 || starts[0] != 0 || starts[lines] != int64(count) ||
		!slices.IsSorted(starts) {
		return nil, bad(file, "a sparse matrix of shape %s has %d values, and its %d entries of "+
			"indptr do not divide them into rows or columns", shapeText(m.shape), count,
			len(starts))
	}
	if err := l.reserve(file, 8*int64(count)); err != nil {
		return nil, err
	}
	out := make([]int64, count)
	for line := range lines {
		for j := starts[line]; j < starts[line+1]; j++ {
			out[j] = int64(line)
		}
	}
	return out, nil
}
