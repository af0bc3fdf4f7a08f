package bagio

import (
	"slices"

	"github.com/bagscope/bagscope/core/bagio/internal/mat"
	"github.com/bagscope/bagscope/internal/msg"
)

// A matlabItem is what a cell of MATLAB holds: a matrix, a text, or something else.
type matlabItem struct {
	shape []int
	read  func() (*Array, error) // nil for what is no array of numbers
	text  *string                // nil for what is no text
}

// number reports whether the item is a single number.
func (i *matlabItem) number() bool { return i.read != nil && product(i.shape) == 1 }

// items returns what cells of a file of version 5 hold.
func (m *matlabFile) items(name string, cells []*mat.Value, l Limits) []matlabItem {
	out := make([]matlabItem, len(cells))
	for i, v := range cells {
		out[i].shape = v.Shape
		if text, ok := v.Text(); ok {
			out[i].text = &text
		}
		if v.Numeric() {
			out[i].read = func() (*Array, error) { return matArray(m.file+"/"+name, v, l) }
		}
	}
	return out
}

// addCells adds cells, column by column. Cells with a matrix of the same width for each bag are a
// list of bags; single numbers beside them, in further columns, are lists of B numbers, and words
// are the names of bags.
func (m *matlabFile) addCells(name string, cells []matlabItem, rows int, l Limits) {
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
func (m *matlabFile) addColumn(name string, cells []matlabItem, l Limits) {
	all := func(is func(*matlabItem) bool) bool {
		return !slices.ContainsFunc(cells, func(i matlabItem) bool { return !is(&i) })
	}
	switch {
	case all(func(i *matlabItem) bool { return i.text != nil }):
		column := wordColumn{name: name}
		for _, c := range cells {
			column.words = append(column.words, *c.text)
		}
		m.words = append(m.words, column)
	case !all(func(i *matlabItem) bool { return i.read != nil }):
		m.others = append(m.others, msg.Sprintf("%s (cells)", name))
	case all((*matlabItem).number):
		m.addArray(namedArray{name, []int{1, len(cells)}, func() (*Array, error) {
			return numbersOf(m.file+"/"+name, cells, l)
		}})
	default:
		m.addMatrices(name, cells, l)
	}
}

// numbersOf returns single numbers as a list.
func numbersOf(file string, cells []matlabItem, l Limits) (*Array, error) {
	if err := l.reserve(file, 8*int64(len(cells))); err != nil {
		return nil, err
	}
	numbers := make([]float64, len(cells))
	for i, c := range cells {
		a, err := c.read()
		if err != nil {
			return nil, err
		}
		numbers[i] = a.dtype.float()(a.data)
	}
	return arrayOf(file, []int{len(cells)}, numbers), nil
}

// addMatrices adds a matrix for each bag. Equal numbers of columns are those of features; else
// equal numbers of rows.
func (m *matlabFile) addMatrices(name string, cells []matlabItem, l Limits) {
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
	for i, c := range cells {
		n := product(c.shape) / width
		shape[0] += n
		list.bags = append(list.bags, n)
		items[i] = namedArray{name, []int{n, width}, func() (*Array, error) {
			a, err := c.read()
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
func sameSide(cells []matlabItem, axis int) int {
	if len(cells[0].shape) != 2 {
		return -1
	}
	side := cells[0].shape[axis]
	for _, c := range cells {
		if len(c.shape) != 2 || c.shape[axis] != side || product(c.shape) == 0 {
			return -1
		}
	}
	return side
}

// A wordColumn is a column of cells that hold words.
type wordColumn struct {
	name  string
	words []string
}

// nameBags names the bags of a set of cells by the only column of different words for each.
func (m *matlabFile) nameBags(s *Set) {
	var found *wordColumn
	for i := range m.words {
		w := &m.words[i]
		if len(w.words) != s.Len() || s.Len() < 2 || slices.ContainsFunc(w.words,
			func(word string) bool { return len(word) > maxID }) ||
			len(slices.Compact(slices.Sorted(slices.Values(w.words)))) < s.Len() {
			continue
		}
		if found != nil {
			return
		}
		found = w
	}
	if found != nil {
		s.names = found.words
		s.notes = append(s.notes, msg.Sprintf("%s: names of bags are %s.", m.file, found.name))
	}
}
