//go:build !js

package bagio

import (
	"errors"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// A columnar is a table of a file that keeps it column by column. Its header has a name for each
// entry of lists that are features or places.
type columnar struct {
	*table
	frame   frame.Table
	columns []frame.Column // those of the file
	from    []int          // (header) the column of the file
	entry   []int          // (header) the entry of its lists, or -1
	row     int            // the row that is read
}

// frameLimits returns the limits of a reader of tables.
func (l Limits) frameLimits(file string) frame.Limits {
	return frame.Limits{Rows: l.Instances, Bytes: l.Bytes, Columns: l.Columns,
		Reserve: func(bytes int64) error { return l.reserve(file, bytes) }}
}

// setFromFrame reads a table with one instance per row. Columns have the roles that they have in
// text, see setFromCSV. The features may also be lists in one column, as o.Array or a usual name
// says, and places lists of two.
func setFromFrame(file string, f frame.Table, o Options) (*Set, error) {
	t := &columnar{frame: f, columns: f.Columns(), table: &table{file: file, bag: map[string]int{},
		limits: o.Limits.withDefaults(), dialect: dialect{comma: ','}}}
	t.line = func(int) int { return t.row + 1 }
	if err := t.limits.instances(file, f.Rows()); err != nil {
		return nil, err
	}
	if f.Rows() == 0 {
		return nil, bad(file, "it holds no rows")
	}
	if len(t.columns) == 0 {
		return nil, bad(file, "it has no columns")
	}
	if err := t.assign(o); err != nil {
		return nil, t.error(err)
	}
	if err := t.readRows(); err != nil {
		return nil, t.error(err)
	}
	if err := t.readFeatures(); err != nil {
		return nil, t.error(err)
	}
	o.Columns, o.BagBy, o.Array = "", "", "" // chosen
	return t.set(o)
}

// error returns an error of a reader of tables in this package's types.
func (t *columnar) error(err error) error {
	var format *frame.FormatError
	var limit *frame.LimitError
	var memory *quota.MemoryError
	var busy *quota.MemoryBusyError
	switch {
	case errors.As(err, &memory), errors.As(err, &busy):
		return err
	case errors.As(err, &format):
		return &FormatError{File: t.file, Field: format.Column, Offset: format.Offset,
			Reason: format.Reason, Err: format.Err}
	case errors.As(err, &limit):
		return &LimitError{t.file, limit.What, limit.Setting, limit.Limit}
	}
	return err
}

// assign decides what each column holds.
func (t *columnar) assign(o Options) error {
	widths, err := t.widths()
	if err != nil {
		return err
	}
	features, err := t.chooseList(widths, o)
	if err != nil {
		return err
	}
	if err := t.head(widths, features); err != nil {
		return err
	}
	first := make([]string, len(t.names))
	if at := t.find("class"); at >= 0 && t.entry[at] < 0 { // the only cell that nameRoles reads
		err := t.eachCell(at, func(cell string) bool {
			first[at] = cell
			return false
		})
		if err != nil {
			return err
		}
	}
	if err := t.nameRoles(t.file, first, t.dialect, o); err != nil {
		return err
	}
	if list := t.undecided(); len(list) > 0 {
		p, err := t.profiled(list)
		if err != nil {
			return err
		}
		if err := t.decide(t.file, p, o); err != nil {
			return err
		}
	}
	if len(t.having(roleFeature)) == 0 {
		return bad(t.file, "no column can be a feature; its columns are %s", msg.List(t.names))
	}
	return t.finish(t.file)
}

// widths returns how many entries the lists of the first row have, by columns of lists of numbers.
func (t *columnar) widths() (map[int]int, error) {
	out := map[int]int{}
	for i, c := range t.columns {
		if !c.List || c.Kind != frame.Whole && c.Kind != frame.Real {
			continue
		}
		err := frame.Parts(t.frame, i, func(v *frame.Values, _ int) (bool, error) {
			if v.Rows == 0 {
				return true, nil
			}
			out[i] = int(v.Lengths[0])
			return false, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chooseList returns the column whose lists are the features, or -1.
func (t *columnar) chooseList(widths map[int]int, o Options) (int, error) {
	n := &namedArrays{file: t.file}
	for i, c := range t.columns {
		if w := widths[i]; w > 0 {
			n.arrays = append(n.arrays, namedArray{name: c.Name,
				shape: []int{int(t.frame.Rows()), w}})
		}
	}
	if o.Array == "" && !slices.ContainsFunc(n.arrays, func(a namedArray) bool {
		return a.canBeFeatures()
	}) {
		return -1, nil
	}
	chosen, err := n.features(o.Array)
	if err != nil {
		return -1, err
	}
	return slices.IndexFunc(t.columns, func(c frame.Column) bool {
		return c.List && c.Name == chosen.name
	}), nil
}

// head makes the header.
func (t *columnar) head(widths map[int]int, features int) error {
	var names []string
	typed, texts := map[int]role{}, map[int]bool{}
	add := func(name string, column, entry int, r role) {
		if r != roleNone {
			typed[len(names)] = r
		}
		names, t.from, t.entry = append(names, name), append(t.from, column), append(t.entry, entry)
	}
	for i, c := range t.columns {
		if int64(len(names)+widths[i]) > t.limits.Columns {
			return &LimitError{t.file, "its rows have too many columns and entries of lists",
				"columns", t.limits.Columns}
		}
		switch {
		case i == features:
			if err := t.limits.reserve(t.file, cellShare*int64(widths[i])); err != nil {
				return err
			}
			for j := range widths[i] {
				add(c.Name+"_"+strconv.Itoa(j), i, j, roleFeature)
			}
		case c.List && widths[i] == 2 && (namedArray{name: c.Name}).isPlaces():
			add(c.Name+"_x", i, 0, roleX)
			add(c.Name+"_y", i, 1, roleY)
		case c.List, c.Kind == frame.Other:
			add(c.Name, i, -1, roleSkip)
		default:
			if c.Kind == frame.Text {
				texts[len(names)] = true
			}
			add(c.Name, i, -1, roleNone)
		}
	}
	t.table.columns = newColumns(names)
	t.typed, t.listed, t.texts = typed, features >= 0, texts
	return nil
}

// profiled returns what the rows say of columns whose names say nothing.
func (t *columnar) profiled(list []int) (*profile, error) {
	p := &profile{columns: map[int]*columnProfile{}, rows: int(t.frame.Rows())}
	same, err := t.sameBag()
	if err != nil {
		return nil, err
	}
	seed := maphash.MakeSeed()
	for _, at := range list {
		c := &columnProfile{rises: true, inBag: true, varies: same == nil}
		if p.columns[at] = c; at == 0 && t.id <= 0 {
			c.hashes = map[uint64]struct{}{}
		}
		if t.texts[at] {
			c.kind, c.settled = kindText, true
		}
		if c.settled && c.hashes == nil {
			continue
		}
		row := 0
		var wrong error
		err := t.eachCell(at, func(cell string) bool {
			if c.hashes != nil && !c.repeats {
				wrong = t.hash(c, maphash.String(seed, cell))
			}
			c.add(&t.dialect, cell, row > 0 && (same == nil || same[row]))
			row++
			return wrong == nil && (!c.settled || c.hashes != nil && !c.repeats)
		})
		if err = errors.Join(wrong, err); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// sameBag reports of each row whether it is of the same bag as the row before it. It returns nil if
// all rows are one bag.
func (t *columnar) sameBag() ([]bool, error) {
	if t.id < 0 {
		return nil, nil
	}
	if err := t.limits.reserve(t.file, t.frame.Rows()); err != nil {
		return nil, err
	}
	same, last := make([]bool, 0, t.frame.Rows()), ""
	err := t.eachCell(t.id, func(cell string) bool {
		same = append(same, cell == last)
		last = cell
		return true
	})
	return same, err
}
