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

// matlabRoles are the roles that lists of a file of MATLAB can have.
var matlabRoles = []role{roleBag, roleLabel, roleInstance}

// A matlabFile holds the arrays of a file: matrices, and lists beside them.
type matlabFile struct {
	*namedArrays
	vectors []namedArray // (k,), in the order of the file
	words   []wordColumn // columns of cells that hold words
	lablist []string     // the words that nlab of PRTools counts, or nil
}

// setFromMAT reads a file of MATLAB of version 5.
func setFromMAT(file string, data []byte, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	values, err := mat.Read(data, mat.Limits{
		Reserve: func(n int64) error { return l.reserve(file, n) },
		Unpack: func(r io.Reader) ([]byte, error) {
			return unpacked(file, r, 0, Options{Limits: l})
		},
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

// add adds a value and the values in it.
func (m *matlabFile) add(name string, v *mat.Value, l Limits) {
	switch {
	case v.Class == mat.Cell:
		cells, rows := flat(v)
		m.addCells(name, m.items(name, cells, l), rows, l)
	case v.Class == mat.Struct || v.Class == mat.Object:
		for _, f := range v.Fields {
			within := name + "/" + f.Name
			if len(f.Values) == 1 {
				m.add(within, f.Values[0], l)
			} else {
				m.addCells(within, m.items(within, f.Values, l), len(f.Values), l)
			}
		}
	case !v.Numeric():
		if text, ok := v.Text(); ok {
			m.attributes[path.Base(name)] = text
			return
		}
		if lines, ok := v.Lines(longestWords); ok && path.Base(name) == "lablist" {
			m.lablist = lines
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

// flat returns the cells of a value and their number of rows: cells that only hold cells, such as
// the bags of each category, are one list of these.
func flat(v *mat.Value) (cells []*mat.Value, rows int) {
	if len(v.Cells) == 0 || slices.ContainsFunc(v.Cells,
		func(c *mat.Value) bool { return c.Class != mat.Cell }) {
		return v.Cells, v.Shape[0]
	}
	for _, c := range v.Cells {
		cells = append(cells, c.Cells...)
	}
	return cells, len(cells)
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
	rules, err := o.columnRules()
	if err != nil {
		return nil, err
	}
	rules = rules.fitting(matlabRoles, func(r columnRule) bool {
		return m.list([]string{strings.ToLower(r.Name)}) != nil
	})
	found := map[role]*namedArray{}
	for _, r := range rules.list {
		if !slices.Contains(matlabRoles, r.Role) {
			return nil, bad(m.file, "a list beside its features is one of bag, label and "+
				"instance_label, not %s; array names the features", string(r.Role))
		}
		if found[r.Role] = m.list([]string{strings.ToLower(r.Name)}); found[r.Role] == nil {
			return nil, bad(m.file, "it has no list %q; it has %s", r.Name,
				msg.List(orNone(m.listNames())))
		}
	}
	stated := map[role]bool{}
	for r := range found {
		stated[r] = true
	}
	if found[roleBag] == nil {
		found[roleBag] = m.list(bagLists)
	}
	if found[roleLabel] == nil && found[roleInstance] == nil {
		found[roleLabel] = m.list(append(slices.Clone(labelLists), "y"))
		if found[roleLabel] == nil {
			found[roleLabel] = m.beside()
		}
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
	s.notes = append(rules.notes(m.file), slices.DeleteFunc(s.notes,
		func(note string) bool { return note == none })...)
	m.nameBags(s)
	used, err := s.byLists(m, found, stated, o)
	if unused := m.unusedLists(used); len(unused) > 0 {
		s.notes = append(s.notes, ignoredNote(m.file, unused))
	}
	return s, err
}

// beside returns the numbers in the second column of cells whose first column are the bags, or nil:
// so are pairs of a bag and its label kept.
func (m *matlabFile) beside() *namedArray {
	for i, v := range m.vectors {
		if bags, ok := strings.CutSuffix(v.name, "{2}"); ok && m.lists[bags].bags != nil {
			return &m.vectors[i]
		}
	}
	return nil
}

// unusedLists returns the names of lists of several numbers that are not used.
func (m *matlabFile) unusedLists(used []*namedArray) (names []string) {
	for i := range m.vectors {
		if v := &m.vectors[i]; v.shape[0] > 1 && !slices.Contains(used, v) {
			names = append(names, v.name)
		}
	}
	return names
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

// byLists makes bags by a list of ids, and sets the labels of another list: one for each bag, if
// ids ascend, or, equal in each bag, for each instance. It returns the lists that it has used.
// Lists that do not fit are only an error if they are stated.
func (s *Set) byLists(
	m *matlabFile, lists map[role]*namedArray, stated map[role]bool, o Options,
) (used []*namedArray, err error) {
	file, by := m.file, map[role]*instanceColumn{}
	var ofBags *instanceColumn // labels of the bags that ids make
	if ids := lists[roleBag]; ids != nil && s.Len() == 1 {
		c, err := columnOf(file, ids, s.array.Len())
		if err != nil {
			return nil, err
		}
		by[roleBag], used = c, append(used, ids)
	}
	for _, r := range []role{roleLabel, roleInstance} {
		list := lists[r]
		if list == nil {
			continue
		}
		if r == roleLabel && list.shape[0] == s.Len() && s.Len() > 1 {
			c, err := columnOf(file, list, s.Len())
			if err != nil && stated[r] {
				return nil, err
			} else if err == nil {
				s.classes, used = c.codes, append(used, list)
				s.notes = append(s.notes, msg.Sprintf("%s: labels are %s.", file, c.name))
			}
			continue
		}
		c, err := columnOf(file, list, s.array.Len())
		if ids := by[roleBag]; err != nil && ids != nil && r == roleLabel {
			ofBags, _ = columnOf(file, list, ids.different())
			ofBags = ofBags.inOrderOf(ids)
		}
		switch {
		case err == nil, ofBags != nil:
			used = append(used, list)
		case stated[r]:
			return nil, err
		}
		if err != nil {
			continue
		}
		c.count(m.lablist)
		// Labels that differ within a bag are those of its instances.
		if r == roleLabel && !stated[r] && !c.equalWithin(by[roleBag]) {
			r = roleInstance
		}
		by[r] = c
	}
	if len(by) == 0 {
		return used, nil
	}
	if err := s.group(file, by, o); err != nil || ofBags == nil {
		return used, err
	}
	s.classes = ofBags.codes
	s.notes = append(s.notes, msg.Sprintf("%s: labels are %s.", file, ofBags.name))
	return used, nil
}

// different returns the number of different entries.
func (c *instanceColumn) different() int {
	return len(slices.Compact(slices.Sorted(slices.Values(c.codes))))
}

// inOrderOf returns labels of bags whose ids are in the order of MATLAB's unique, in which they are
// counted, and nil if the ids are in another one.
func (c *instanceColumn) inOrderOf(ids *instanceColumn) *instanceColumn {
	if c == nil || !ids.ascends() {
		return nil
	}
	return c
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

// count takes labels of nlab for those words of PRTools' lablist that they count, if there are any.
func (c *instanceColumn) count(lablist []string) {
	if strings.ToLower(path.Base(c.name)) != "nlab" || len(lablist) == 0 ||
		slices.ContainsFunc(c.codes, func(code int) bool {
			return code < 0 || code >= len(lablist)
		}) {
		return
	}
	c.texts = lablist
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
