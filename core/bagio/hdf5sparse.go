package bagio

import (
	"path"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/hdf5"
)

// A sparseMatrix is a group of an HDF5 file that AnnData or h5sparse has written: the entries other
// than 0 of a matrix by rows (CSR, of SciPy) or by columns (CSC).
type sparseMatrix struct {
	path      string // "/X"
	shape     []int
	byColumns bool
	// values; the row or column of each; and where each column or row begins among them
	data, indices, starts *hdf5.Dataset
}

// sparseMatrices returns the sparse matrices of a file by the paths of their groups.
func sparseMatrices(f *hdf5.File) map[string]*sparseMatrix {
	out := map[string]*sparseMatrix{}
	for _, g := range f.Groups() {
		said := attributes{}
		said.add(g.Attributes)
		m := &sparseMatrix{path: g.Path}
		switch kind, _ := said["encoding-type"].(string); kind {
		case "csr_matrix", "csc_matrix":
			m.byColumns = kind == "csc_matrix"
			m.shape = wholeNumbers(said["shape"])
		default: // files of AnnData before 0.7
			kind, _ := said["h5sparse_format"].(string)
			m.byColumns = kind == "csc"
			m.shape = wholeNumbers(said["h5sparse_shape"])
			if kind != "csr" && kind != "csc" {
				continue
			}
		}
		if len(m.shape) == 2 {
			out[g.Path] = m
		}
	}
	for _, d := range f.Datasets() {
		m := out[path.Dir(d.Path)]
		if m == nil || len(d.Shape) != 1 {
			continue
		}
		switch path.Base(d.Path) {
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

// name returns the matrix's name among the arrays of its file.
func (m *sparseMatrix) name() string { return strings.TrimPrefix(m.path, "/") }

// array reads the matrix, row-major, as float32 if its values fit, else as float64. Entries that
// are stored several times add up, as in SciPy.
func (m *sparseMatrix) array(file string, l Limits) (*Array, error) {
	file += m.path
	n, err := l.elements(file, m.shape)
	if err != nil {
		return nil, err
	}
	values, at, starts, err := m.stored(file, l)
	if err != nil {
		return nil, err
	}
	size := 8
	if d := m.data.Type; d.Size < 4 || d.Kind == 'f' && d.Size == 4 {
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
func (m *sparseMatrix) stored(
	file string, l Limits,
) (values []float64, at, starts []int64, err error) {
	lines, most := m.shape[0], m.shape[1]
	if m.byColumns {
		lines, most = most, lines
	}
	count := m.data.Shape[0]
	if m.starts.Shape[0] != lines+1 || m.indices.Shape[0] != count {
		return nil, nil, nil, bad(file, "a sparse matrix of shape %s has %d values, %d indices "+
			"and %d entries of indptr", shapeText(m.shape), count, m.indices.Shape[0],
			m.starts.Shape[0])
	}
	for _, d := range []*hdf5.Dataset{m.data, m.indices, m.starts} {
		if err := d.Supported(); err != nil {
			return nil, nil, nil, hdf5Error(file, err)
		}
	}
	need := int64(8) * int64(2*count+lines+1)
	if err := l.bytes(file, need); err != nil {
		return nil, nil, nil, err
	}
	if err := l.reserve(file, need); err != nil {
		return nil, nil, nil, err
	}
	values, at, starts = make([]float64, count), make([]int64, count), make([]int64, lines+1)
	err = m.data.ReadFloat64(values, 0, m.data.Rows())
	if err == nil {
		err = m.indices.ReadInt64(at, 0, m.indices.Rows())
	}
	if err == nil {
		err = m.starts.ReadInt64(starts, 0, m.starts.Rows())
	}
	if err != nil {
		return nil, nil, nil, hdf5Error(file, err)
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
