package bagio

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/mat"
	"github.com/bagscope/bagscope/internal/msg"
)

// The sets that multiple-instance learning began with are kept in MATLAB's files: Musk, Fox, Tiger
// and Elephant of Andrews et al. as features with a list of bag ids, those of PRTools as an object
// with data, nlab and ident.milbag, and others as cells or structs with a matrix for each bag.

// Names of lists beside the features, in lower case, without the names of structs before them.
var (
	bagLists   = []string{"bag_ids", "bag_id", "bagids", "bagid", "milbag", "bag_index", "bag_idx"}
	labelLists = []string{"labels", "label", "nlab", "bag_labels", "bag_label", "baglabels",
		"targets", "target", "classes"}
)

// A matlabFile holds the arrays of a file: matrices, and lists beside them.
type matlabFile struct {
	*namedArrays
	vectors []namedArray // (k,), in the order of the file
}

// setFromMAT reads a file of MATLAB of version 5.
func setFromMAT(file string, data []byte, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	values, err := mat.Read(data, mat.Limits{
		Reserve: func(n int64) error { return l.reserve(file, n) },
		Unpack:  func(r io.Reader) ([]byte, error) { return unpacked(file, r, 0, l) },
	})
	var format *mat.FormatError
	if errors.As(err, &format) {
		return nil, &FormatError{File: file, Offset: format.Offset, Err: err,
			Reason: msg.Sprintf("read as a file of MATLAB, %s", msg.Text(format.Reason))}
	}
	if err != nil {
		return nil, err
	}
	m := &matlabFile{namedArrays: &namedArrays{file: file, attributes: attributes{},
		lists: map[string]joinedList{}}}
	for _, v := range values {
		m.add(v.Name, v, l)
	}
	return m.set(o)
}

// magicMATLAB73 is how MATLAB's files of version 7.3 begin, which are HDF5.
const magicMATLAB73 = "MATLAB 7.3 MAT-file"

// setFromMATLAB73 reads the arrays of a file of version 7.3, which HDF5 has with their axes in
// reverse. Cells, which are references, are not read.
func setFromMATLAB73(n *namedArrays, o Options) (*Set, error) {
	m := &matlabFile{namedArrays: &namedArrays{file: n.file, attributes: n.attributes}}
	for i, other := range n.others {
		if strings.HasSuffix(other, "(reference)") {
			n.others[i] += ", which cells are: save -v7 writes them so that they are read"
		}
	}
	m.others = n.others
	for _, a := range n.arrays {
		switch {
		case strings.HasPrefix(a.name, "#"):
		case len(a.shape) == 2:
			m.addArray(a.transposed(o.Limits.withDefaults()))
		default:
			m.others = append(m.others, msg.Sprintf("%s of %d axes", a.name, len(a.shape)))
		}
	}
	return m.set(o)
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

// add adds a value and the values in it.
func (m *matlabFile) add(name string, v *mat.Value, l Limits) {
	switch {
	case v.Class == mat.Cell:
		m.addCells(name, v.Cells, v.Shape[0], l)
	case v.Class == mat.Struct || v.Class == mat.Object:
		for _, f := range v.Fields {
			within := name + "/" + f.Name
			if len(f.Values) == 1 {
				m.add(within, f.Values[0], l)
			} else {
				m.addCells(within, f.Values, len(f.Values), l)
			}
		}
	case !v.Numeric():
		if text, ok := v.Text(); ok {
			m.attributes[path.Base(name)] = text
			return
		}
		m.others = append(m.others, msg.Sprintf("%s (%s)", name, v))
	default:
		m.addArray(namedArray{name, v.Shape, func() (*Array, error) {
			return matArray(m.file+"/"+name, v, l)
		}})
		if v.Count() == 1 && v.Class != mat.Sparse {
			number := make([]float64, 1)
			v.Floats(number)
			m.attributes[path.Base(name)] = number[0]
		}
	}
}

// addArray adds a matrix or, if it has one row or column, a list.
func (m *matlabFile) addArray(a namedArray) {
	if len(a.shape) != 2 || a.shape[0] != 1 && a.shape[1] != 1 {
		m.arrays = append(m.arrays, a)
		return
	}
	n, read := a.shape[0]*a.shape[1], a.read
	m.vectors = append(m.vectors, namedArray{a.name, []int{n}, func() (*Array, error) {
		array, err := read()
		if err != nil {
			return nil, err
		}
		array.Shape = []int{n}
		return array, nil
	}})
}

// addCells adds cells, column by column. Cells with a matrix of the same width for each bag are a
// list of bags; single numbers beside them, in further columns, are lists of B numbers.
func (m *matlabFile) addCells(name string, cells []*mat.Value, rows int, l Limits) {
	if rows == 1 { // a row of cells
		rows = len(cells)
	}
	for c := 0; rows > 0 && c < len(cells)/rows; c++ {
		within, column := name, cells[c*rows:(c+1)*rows]
		if c > 0 {
			within = msg.Sprintf("%s{%d}", name, c+1)
		}
		m.addColumn(within, column, l)
	}
}

// addColumn adds a column of cells.
func (m *matlabFile) addColumn(name string, cells []*mat.Value, l Limits) {
	if slices.ContainsFunc(cells, func(v *mat.Value) bool { return !v.Numeric() }) {
		m.others = append(m.others, msg.Sprintf("%s (cells)", name))
		return
	}
	if !slices.ContainsFunc(cells, func(v *mat.Value) bool {
		return v.Count() != 1 || v.Class == mat.Sparse
	}) {
		m.addArray(namedArray{name, []int{1, len(cells)}, func() (*Array, error) {
			if err := l.reserve(m.file, 8*int64(len(cells))); err != nil {
				return nil, err
			}
			numbers := make([]float64, len(cells))
			for i, v := range cells {
				v.Floats(numbers[i : i+1])
			}
			return arrayOf(m.file+"/"+name, []int{len(cells)}, numbers), nil
		}})
		return
	}
	// Equal numbers of columns are those of features; else equal numbers of rows.
	width, turned := -1, false
	for axis := 1; axis >= 0 && width < 0; axis-- {
		width, turned = sameSide(cells, axis), axis == 0
	}
	if width < 0 {
		m.others = append(m.others, msg.Sprintf("%s (cells of several widths)", name))
		return
	}
	shape, list := []int{0, width}, joinedList{}
	items := make([]namedArray, len(cells))
	for i, v := range cells {
		n := v.Count() / width
		shape[0] += n
		list.bags = append(list.bags, n)
		items[i] = namedArray{name, []int{n, width}, func() (*Array, error) {
			a, err := matArray(m.file+"/"+name, v, l)
			if err != nil || !turned {
				return a, err
			}
			return a.transposed(), nil
		}}
	}
	list.note = msg.Sprintf("%s: the cells of %s are %d bags.", m.file, name, len(cells))
	m.lists[name] = list
	m.arrays = append(m.arrays, namedArray{name, shape, func() (*Array, error) {
		return concatenated(m.file+"/"+name, shape, items, l)
	}})
}

// sameSide returns the length above 0 that all matrices have along an axis, or -1.
func sameSide(cells []*mat.Value, axis int) int {
	side := cells[0].Shape[axis]
	for _, v := range cells {
		if len(v.Shape) != 2 || v.Shape[axis] != side || v.Count() == 0 {
			return -1
		}
	}
	return side
}

// matArray reads an array, row by row: unsigned bytes, which are pixels, as such, and other numbers
// as 64-bit floats.
func matArray(file string, v *mat.Value, l Limits) (*Array, error) {
	n, err := l.elements(file, v.Shape)
	if err != nil {
		return nil, err
	}
	if err := l.bytes(file, 8*int64(n)); err != nil { // a sparse matrix is small in a file
		return nil, err
	}
	if err := l.reserve(file, 9*int64(n)); err != nil {
		return nil, err
	}
	values := make([]float64, n)
	v.Floats(values)
	if v.Class == mat.Uint8 && !v.Logical {
		pixels := make([]byte, n)
		for i, x := range values {
			pixels[i] = byte(x)
		}
		return &Array{Shape: v.Shape, dtype: dtype{kind: 'u', size: 1}, data: pixels, file: file,
			start: -1}, nil
	}
	return arrayOf(file, v.Shape, values), nil
}

// transposed returns a matrix with its axes exchanged.
func (a *Array) transposed() *Array {
	rows, columns, size := a.Shape[0], a.Shape[1], a.dtype.size
	data := make([]byte, len(a.data))
	for r := range rows {
		for c := range columns {
			copy(data[(c*rows+r)*size:], a.data[(r*columns+c)*size:][:size])
		}
	}
	return &Array{Shape: []int{columns, rows}, dtype: a.dtype, data: data, file: a.file, start: -1}
}

// set returns the bags of a file: those of its cells, or of its features by a list of ids.
func (m *matlabFile) set(o Options) (*Set, error) {
	rules, err := parseColumnRules(o.Columns)
	if err != nil {
		return nil, err
	}
	if o.BagBy != "" {
		rules = append([]columnRule{{o.BagBy, roleBag}}, rules...)
	}
	found := map[role]*namedArray{}
	for _, r := range rules {
		if !slices.Contains(obsRoles, r.role) || r.role == roleName {
			return nil, bad(m.file, "a list beside its features is one of bag, label and "+
				"instance_label, not %s; array names the features", string(r.role))
		}
		if found[r.role] = m.list([]string{strings.ToLower(r.name)}); found[r.role] == nil {
			return nil, bad(m.file, "it has no list %q; it has %s", r.name,
				msg.List(orNone(m.listNames())))
		}
	}
	stated := len(rules) > 0
	if found[roleBag] == nil {
		found[roleBag] = m.list(bagLists)
	}
	if found[roleLabel] == nil && found[roleInstance] == nil {
		found[roleLabel] = m.list(labelLists)
	}
	if len(m.arrays) == 0 && found[roleBag] == nil {
		m.arrays, m.vectors = m.vectors, nil // the features of one instance, or one feature
		for i := range m.arrays {
			a := m.arrays[i]
			m.arrays[i].shape = []int{1, a.shape[0]}
			m.arrays[i].read = func() (*Array, error) {
				array, err := a.read()
				if err == nil {
					array.Shape = []int{1, a.shape[0]}
				}
				return array, err
			}
		}
		found = map[role]*namedArray{}
	}
	if ids := found[roleBag]; ids != nil {
		m.turn(ids.shape[0], o.Limits.withDefaults())
	}
	o.BagBy, o.Columns = "", ""
	s, err := setFromFeatures(m.namedArrays, o)
	if err != nil {
		return nil, err
	}
	none := noPlacesNote(m.file)
	s.notes = slices.DeleteFunc(s.notes, func(note string) bool { return note == none })
	return s, s.byLists(m.file, found, stated, o)
}

// list returns the first list with one of some names, with or without those of structs, or nil.
func (m *matlabFile) list(names []string) *namedArray {
	for _, name := range names {
		for i := range m.vectors {
			lower := strings.ToLower(m.vectors[i].name)
			if lower == name || path.Base(lower) == name {
				return &m.vectors[i]
			}
		}
	}
	return nil
}

func (m *matlabFile) listNames() (names []string) {
	for _, a := range m.vectors {
		names = append(names, a.name)
	}
	return names
}

// turn transposes matrices that have a column for each of k instances.
func (m *matlabFile) turn(k int, l Limits) {
	for i, a := range m.arrays {
		if len(a.shape) != 2 || a.shape[0] == k || a.shape[1] != k {
			continue
		}
		m.arrays[i] = a.transposed(l)
	}
}

// byLists makes bags by a list of ids, and sets the labels of another list: one for each bag or,
// equal in each bag, for each instance. Lists that do not fit are only an error if they are stated.
func (s *Set) byLists(
	file string, lists map[role]*namedArray, stated bool, o Options,
) error {
	by := map[role]*instanceColumn{}
	if ids := lists[roleBag]; ids != nil && s.Len() == 1 {
		c, err := columnOf(file, ids, s.array.Len())
		if err != nil {
			return err
		}
		by[roleBag] = c
	}
	for _, r := range []role{roleLabel, roleInstance} {
		list := lists[r]
		if list == nil {
			continue
		}
		if r == roleLabel && list.shape[0] == s.Len() && s.Len() > 1 {
			c, err := columnOf(file, list, s.Len())
			if err != nil {
				return err
			}
			s.classes = c.codes
			s.notes = append(s.notes, msg.Sprintf("%s: labels are %s.", file, c.name))
			continue
		}
		c, err := columnOf(file, list, s.array.Len())
		if err != nil && stated {
			return err
		} else if err != nil {
			s.notes = append(s.notes, ignoredNote(file, []string{list.name}))
			continue
		}
		// Labels that differ within a bag are those of its instances.
		if r == roleLabel && !stated && !c.equalWithin(by[roleBag]) {
			r = roleInstance
		}
		by[r] = c
	}
	if len(by) == 0 {
		return nil
	}
	return s.group(file, by, o)
}

// columnOf reads a list of k whole numbers. Labels -1 and 1 become 0 and 1, and those of nlab,
// which count from 1, count from 0.
func columnOf(file string, list *namedArray, k int) (*instanceColumn, error) {
	if list.shape[0] != k {
		return nil, bad(file, "its list %s has %d entries for %d", list.name, list.shape[0], k)
	}
	array, err := list.read()
	if err != nil {
		return nil, err
	}
	codes, err := array.Ints()
	if err != nil {
		return nil, err
	}
	c := &instanceColumn{name: list.name, codes: codes}
	base := strings.ToLower(path.Base(list.name))
	switch {
	case slices.Contains(bagLists, base):
	case base == "nlab":
		for i := range c.codes {
			c.codes[i]--
		}
	default:
		c.signless()
	}
	return c, nil
}

// signless changes labels -1 and 1 to 0 and 1, and returns the column.
func (c *instanceColumn) signless() *instanceColumn {
	if slices.Contains(c.codes, -1) && !slices.ContainsFunc(c.codes,
		func(v int) bool { return v != -1 && v != 1 }) {
		for i, v := range c.codes {
			c.codes[i] = (v + 1) / 2
		}
	}
	return c
}

// equalWithin reports whether entries are equal in each bag of a column of ids; nil is one bag.
func (c *instanceColumn) equalWithin(bags *instanceColumn) bool {
	first := map[int]int{}
	for i, v := range c.codes {
		bag := 0
		if bags != nil {
			bag = bags.codes[i]
		}
		if was, ok := first[bag]; ok && was != v {
			return false
		}
		first[bag] = v
	}
	return true
}
