package bagio

import "path"

// A sparseMatrix is a group of an HDF5 file or a Zarr store that AnnData or h5sparse has written:
// the entries other than 0 of a matrix by rows (CSR, of SciPy) or by columns (CSC).
type sparseMatrix struct {
	path      string // "X"
	shape     []int
	byColumns bool
	// values; the row or column of each; and where each column or row begins among them
	data, indices, starts storedList
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
	values, at, starts, err := m.stored(file)
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
		return scattered[float32](m, file, n, values, at, starts), nil
	}
	return scattered[float64](m, file, n, values, at, starts), nil
}

// scattered returns the n elements of the matrix, to which the stored values are added.
func scattered[T float32 | float64](
	m *sparseMatrix, file string, n int, values []float64, at, starts []int64,
) *Array {
	dense := make([]T, n)
	width := m.shape[1]
	for line := range len(starts) - 1 {
		for j := starts[line]; j < starts[line+1]; j++ {
			row, column := line, int(at[j])
			if m.byColumns {
				row, column = column, row
			}
			dense[row*width+column] += T(values[j])
		}
	}
	return arrayOf(file, m.shape, dense)
}

// stored reads and checks what is stored: values, the place of each in its row or column, and where
// these begin. Errors are a *FormatError if they contradict each other.
func (m *sparseMatrix) stored(file string) (values []float64, at, starts []int64, err error) {
	lines, most := m.shape[0], m.shape[1]
	if m.byColumns {
		lines, most = most, lines
	}
	count := m.data.len()
	if m.starts.len() != lines+1 || m.indices.len() != count {
		return nil, nil, nil, bad(file, "a sparse matrix of shape %s has %d values, %d indices "+
			"and %d entries of indptr", shapeText(m.shape), count, m.indices.len(),
			m.starts.len())
	}
	if values, err = m.data.numbers(); err == nil {
		at, err = m.indices.wholes()
	}
	if err == nil {
		starts, err = m.starts.wholes()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	wrong := starts[0] != 0 || starts[lines] != int64(count)
	for line := range lines {
		wrong = wrong || starts[line] > starts[line+1]
	}
	for _, v := range at {
		wrong = wrong || v < 0 || v >= int64(most)
	}
	if wrong {
		return nil, nil, nil, bad(file, "the indices of a sparse matrix lie outside of its shape "+
			"%s", shapeText(m.shape))
	}
	return values, at, starts, nil
}
