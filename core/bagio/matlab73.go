package bagio

import (
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/bagscope/bagscope/core/bagio/internal/hdf5"
	"github.com/bagscope/bagscope/internal/msg"
)

// magicMATLAB73 is how MATLAB's files of version 7.3 begin, which are HDF5.
const magicMATLAB73 = "MATLAB 7.3 MAT-file"

// A matlab73 is a file of version 7.3. HDF5 has its arrays with their axes in reverse, cells and
// arrays of structs as references to datasets of the group #refs#, sparse matrices as groups, and
// texts as numbers of 16 bits.
type matlab73 struct {
	*matlabFile
	s      *source
	f      *hdf5.File
	limits Limits
	known  map[*hdf5.Dataset]matlabItem // because many cells may refer to one dataset
}

// setFromMATLAB73 reads the arrays of a file of version 7.3.
func setFromMATLAB73(s *source, f *hdf5.File, o Options) (*Set, error) {
	m := &matlab73{&matlabFile{namedArrays: &namedArrays{file: s.name,
		attributes: hdf5Attributes(f), lists: map[string]joinedList{}}}, s, f,
		o.Limits.withDefaults(), map[*hdf5.Dataset]matlabItem{}}
	sparse := m.addSparse()
	for _, d := range f.Datasets() {
		name := strings.TrimPrefix(d.Path, "/")
		if strings.HasPrefix(name, "#") || sparse[path.Dir(name)] {
			continue
		}
		if err := m.add(name, d); err != nil {
			return nil, err
		}
	}
	return m.set(o)
}

// add adds what a variable or a field holds.
func (m *matlab73) add(name string, d *hdf5.Dataset) error {
	if d.Type.Kind == 'R' {
		return m.addReferences(name, d)
	}
	item, err := m.item(name, d)
	switch {
	case err != nil:
		return err
	case item.text != nil:
		m.attributes[path.Base(name)] = *item.text
	case item.read == nil:
		m.others = append(m.others, msg.Sprintf("%s (%s)", name, d.Type))
	case len(item.shape) != 2:
		m.others = append(m.others, msg.Sprintf("%s of %d axes", name, len(item.shape)))
	default:
		m.addArray(namedArray{name, item.shape, item.read})
	}
	return nil
}

// itemBytes is what a cell takes beside the values that it refers to.
const itemBytes = 256

// addReferences adds cells, or a field of several structs.
func (m *matlab73) addReferences(name string, d *hdf5.Dataset) error {
	if len(d.Shape) != 2 || product(d.Shape) == 0 {
		m.others = append(m.others, msg.Sprintf("%s (cells)", name))
		return nil
	}
	if err := m.limits.reserve(m.file, itemBytes*int64(product(d.Shape))+d.Memory()); err != nil {
		return err
	}
	cells, err := m.f.Referenced(d)
	if err != nil {
		return hdf5Error(m.file, err)
	}
	items := make([]matlabItem, len(cells))
	for i, c := range cells {
		if c == nil {
			continue
		}
		item, known := m.known[c]
		if !known {
			if item, err = m.item(name, c); err != nil {
				return err
			}
			m.known[c] = item
		}
		items[i] = item
	}
	m.addCells(name, items, d.Shape[1], m.limits)
	return nil
}

// longestWords is the number of characters that a text has at most.
const longestWords = 4096

// item returns what a dataset holds: numbers with the axes of MATLAB, or a text.
func (m *matlab73) item(name string, d *hdf5.Dataset) (matlabItem, error) {
	said := attributes{}
	said.add(d.Attributes)
	shape := slices.Clone(d.Shape)
	slices.Reverse(shape)
	empty := said.number("MATLAB_empty") != 0
	switch class, _ := said["MATLAB_class"].(string); {
	case class == "char":
		text, err := m.text(d, empty)
		return matlabItem{shape: shape, text: text}, err
	case empty:
		return matlabItem{shape: []int{0, 0}}, nil
	case d.Supported() != nil || class == "cell":
		return matlabItem{shape: shape}, nil
	}
	read := func() (*Array, error) { return hdf5Array(m.s, d, m.limits) }
	if len(shape) == 2 {
		read = namedArray{name, d.Shape, read}.transposed(m.limits).read
	}
	return matlabItem{shape: shape, read: read}, nil
}

// text returns a text of one row, or nil.
func (m *matlab73) text(d *hdf5.Dataset, empty bool) (*string, error) {
	n := product(d.Shape)
	if empty || d.Supported() != nil || len(d.Shape) != 2 || d.Shape[1] != 1 || n > longestWords {
		return nil, nil
	}
	if err := m.limits.reserve(m.file, 16*int64(n)+d.Memory()); err != nil {
		return nil, err
	}
	wide := make([]int64, n)
	if err := d.ReadInt64(wide, 0, d.Rows()); err != nil {
		return nil, hdf5Error(m.file, err)
	}
	units := make([]uint16, n)
	for i, v := range wide {
		units[i] = uint16(v)
	}
	text := string(utf16.Decode(units))
	return &text, nil
}

// addSparse adds the sparse matrices, and returns the paths of their groups.
func (m *matlab73) addSparse() map[string]bool {
	found, lists := map[string]bool{}, hdf5Lists(m.file, m.f, m.limits)
	for at, said := range hdf5Groups(m.f) {
		if _, ok := said["MATLAB_sparse"]; !ok {
			continue
		}
		found[at] = true
		part := func(name string) storedList {
			i := slices.IndexFunc(lists, func(l pathList) bool { return l.path == at+"/"+name })
			if i < 0 {
				return nil
			}
			return lists[i]
		}
		rows, ok := said["MATLAB_sparse"].(float64)
		x := &sparseMatrix{path: at, byColumns: true, data: part("data"), indices: part("ir"),
			starts: part("jc")}
		if x.data == nil || x.indices == nil || x.starts == nil || !ok ||
			rows != float64(int32(rows)) || rows < 0 || strings.HasPrefix(at, "#") {
			m.others = append(m.others, msg.Sprintf("%s (sparse)", at))
			continue
		}
		x.shape = []int{int(rows), x.starts.len() - 1}
		m.addArray(namedArray{at, x.shape, func() (*Array, error) {
			return x.array(m.file, m.limits)
		}})
	}
	return found
}

// transposed returns a matrix with its axes exchanged.
func (a namedArray) transposed(l Limits) namedArray {
	return namedArray{a.name, []int{a.shape[1], a.shape[0]}, func() (*Array, error) {
		array, err := a.read()
		if err != nil {
			return nil, err
		}
		if err := l.reserve(array.file, int64(len(array.data))); err != nil {
			return nil, err
		}
		return array.transposed(), nil
	}}
}
