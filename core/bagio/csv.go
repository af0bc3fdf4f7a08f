package bagio

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A table holds the rows of a file in file order. Method set groups them by bag.
type table struct {
	file   string
	limits Limits
	reader *csv.Reader          // rows of a text
	line   func(column int) int // line of the last row read, from 1
	dialect
	*columns
	profile *profile // what the rows say of columns whose names say nothing, or nil

	bag     map[string]int // index of a bag by its id
	ids     []string       // (B), in order of first occurrence
	titles  []string       // (B), their names if a column has them
	classes []int          // (B)
	bagOf   []int          // (row)
	// the words of the columns label and instance_label
	classWords, labelWords labelWords
	instanceNames          []string // (row)
	values                 []byte   // (row, feature) float32, little-endian
	labels                 []int    // (row)
	boxes                  []image.Rectangle
	// The places of patches if the table has columns of them: (row, 2), or (row, 4) with extents.
	points []float64
	common attributes         // what the first row states of all patches
	stated [][]core.Covariate // (B) what the rows of a bag state of it

	reserved int64 // bytes for rows
}

// setFromCSV reads a table with one instance per row. Columns are separated by commas, semicolons,
// tabs, vertical bars or single spaces. The first row names them. Names, [Options].Columns and, if
// these say nothing, the rows decide what a column holds: the bag's id, its class (label),
// instance_label, and x0 y0 x1 y1, or x y with an optional patch_size; the other columns of numbers
// are features:
//
//	bag,label,instance_label,f1,f2
//	slide 7,1,0,0.12,-3
//	slide 7,1,1,0.95,4.5
//	slide 9,0,0,0.08,-2
//
// Rows of a bag need not be adjacent; bags and instances keep the order of their first occurrence.
// Without a column of ids, all rows are one bag.
func setFromCSV(file string, data []byte, o Options) (*Set, error) {
	t := &table{file: file, limits: o.Limits.withDefaults(), bag: map[string]int{}}
	t.dialect, data = dialectOf(data)
	if err := t.limits.columns(file, data, byte(t.comma)); err != nil {
		return nil, err
	}
	t.reader = t.newReader(data)
	t.line = func(column int) int {
		line, _ := t.reader.FieldPos(column)
		return line
	}
	header, err := t.next()
	if err != nil {
		return nil, err
	}
	row, err := t.next()
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, bad(file, "it holds no rows of data under a header")
	}
	err = t.assign(data, header, row, o)
	if o.view != nil {
		return nil, t.look(header, row, err, o.view)
	}
	if err != nil {
		return nil, err
	}
	// header and row were needed together; from here on each row is used before the next is read.
	for t.reader.ReuseRecord = true; row != nil; row, err = t.next() {
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	o.Columns, o.BagBy = "", "" // chosen
	return t.set(o)
}

// newReader returns a reader of the table's rows.
func (t *table) newReader(data []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = t.comma
	r.FieldsPerRecord = -1 // add reports a wrong number of columns with its row
	return r
}

// assign decides what each column holds. Rows are only read for columns whose names do not say it.
func (t *table) assign(data []byte, header, row []string, o Options) error {
	t.columns = newColumns(header)
	t.alone = o.placesAlone
	if err := t.nameRoles(t.file, row, t.dialect, o); err != nil {
		return err
	}
	if t.alone {
		return t.keepPlaces(t.file)
	}
	if list := t.undecided(); len(list) > 0 {
		if err := t.limits.columns(t.file, data, byte(t.comma)); err != nil {
			return err
		}
		r := t.newReader(data)
		r.ReuseRecord = true
		_, err := r.Read()
		if err != nil {
			return err
		}
		first := -1
		if slices.Contains(list, 0) && t.id <= 0 {
			first = 0
		}
		t.profile, err = t.profiled(r, list, t.id, first)
		if err != nil {
			return err
		}
		if err := t.decide(t.file, t.profile, o); err != nil {
			return err
		}
	}
	return t.finish(t.file)
}

// Bytes that the CSV reader takes for each byte and each cell of the longest row, at most: its
// buffers grow to twice their length, and the header exists beside the first row.
const (
	rowShare  = 8
	cellShare = 128
)

// columns reserves the memory of the CSV reader, which needs many times the two bytes of a cell. It
// returns a *LimitError for a row with too many columns.
func (l Limits) columns(file string, data []byte, comma byte) error {
	n, most, quoted := int64(1), int64(1), false
	begin, longest := 0, 0 // of rows
	for i, c := range data {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			n, begin, longest = 1, i+1, max(longest, i-begin)
		case c == comma:
			if n++; n > l.Columns {
				return &LimitError{file, "a row has too many columns", "columns", l.Columns}
			}
			most = max(most, n)
		}
	}
	longest = max(longest, len(data)-begin)
	return l.reserve(file, rowShare*int64(longest)+cellShare*most)
}

// next returns the next row, or nil at the end.
func (t *table) next() ([]string, error) {
	row, err := t.reader.Read()
	var syntax *csv.ParseError
	switch {
	case err == io.EOF:
		return nil, nil
	case errors.As(err, &syntax):
		return nil, &FormatError{File: t.file, Row: syntax.Line,
			Reason: msg.Sprintf("character %d: %v", syntax.Column, syntax.Err)}
	}
	return row, err
}

// add checks one row of data and appends it.
func (t *table) add(row []string) error {
	if len(row) != len(t.names) {
		return &FormatError{File: t.file, Row: t.line(0),
			Reason: fmt.Sprintf("the row has %d columns, but the header has %d", len(row),
				len(t.names))}
	}
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	if err := t.limits.instances(t.file, int64(len(t.bagOf)+1)); err != nil {
		return err
	}
	if _, err := t.limits.elements(t.file, []int{len(t.bagOf) + 1, len(t.features)}); err != nil {
		return err
	}
	if err := t.reserve(); err != nil {
		return err
	}
	if err := t.addBag(row); err != nil {
		return err
	}
	for _, at := range t.features {
		v, err := t.parse(row[at], 32)
		if err != nil || v-v != 0 {
			return t.wrongNumber(at, row[at], v, err)
		}
		t.values = binary.LittleEndian.AppendUint32(t.values, math.Float32bits(float32(v)))
	}
	if err := t.addCovariates(row); err != nil {
		return err
	}
	return t.addLabels(row)
}

// rowBlock is the number of bytes that are reserved for rows at a time.
const rowBlock = 1 << 16

// reserve reserves the memory of the next row.
func (t *table) reserve() error {
	// Lists grow to twice their length, and set sorts a copy of them.
	perRow := int64(4*4*len(t.features) + 4*8*5 + 4*32)
	if perRow*int64(len(t.bagOf)+1) <= t.reserved {
		return nil
	}
	t.reserved += max(rowBlock, perRow)
	return t.limits.reserve(t.file, max(rowBlock, perRow))
}

// maxID is the number of bytes that the id of a bag can have.
const maxID = 1024

// addBag stores the bag of a row and checks that all rows of a bag have the same class.
func (t *table) addBag(row []string) error {
	id, class := "", 0
	if t.id >= 0 {
		if id = row[t.id]; id == "" {
			return t.at(t.id, "the bag's id is missing")
		}
		// Each answer about a bag repeats its id.
		if len(id) > maxID {
			return t.at(t.id, "the bag's id has %d bytes, but at most %d are allowed; use shorter "+
				"ids", len(id), maxID)
		}
	}
	if t.class >= 0 {
		var err error
		if class, err = t.label(&t.classWords, row, t.class); err != nil {
			return err
		}
		if t.classWords.words && class < 0 {
			return t.at(t.class, "the label is missing: fill the cell, or remove the row; or "+
				"ignore the column: columns %s=skip", t.columns.label(t.class))
		}
	}
	b, known := t.bag[id]
	if !known {
		b = len(t.ids)
		if err := t.limits.bags(t.file, int64(b+1)); err != nil {
			return err
		}
		if err := t.limits.reserve(t.file, int64(len(id))); err != nil {
			return err
		}
		id = strings.Clone(id) // the row's memory is reused
		t.bag[id] = b
		t.ids = append(t.ids, id)
		if t.title >= 0 {
			t.titles = append(t.titles, strings.Clone(row[t.title]))
		}
		t.classes = append(t.classes, class)
	}
	if t.classes[b] != class {
		return t.at(t.class, "bag %s has class %s here and class %s in an earlier row; put "+
			"labels of single instances into a column instance_label", id,
			t.classWords.text(class), t.classWords.text(t.classes[b]))
	}
	t.bagOf = append(t.bagOf, b)
	return nil
}

// addLabels stores the instance's label and name and the box of a row.
func (t *table) addLabels(row []string) error {
	if t.name >= 0 {
		name := row[t.name]
		if err := t.limits.reserve(t.file, int64(len(name))+32); err != nil {
			return err
		}
		t.instanceNames = append(t.instanceNames, strings.Clone(name))
	}
	if t.instance >= 0 {
		label, err := t.label(&t.labelWords, row, t.instance)
		if err != nil {
			return err
		}
		t.labels = append(t.labels, label)
	}
	if t.places != nil {
		return t.addPlace(row)
	}
	if t.corners == nil {
		return nil
	}
	var c [4]int
	for i, at := range t.corners {
		var err error
		if c[i], err = t.integer(row, at); err != nil {
			return err
		}
	}
	r, err := box(c[:])
	if err != nil {
		return t.at(t.corners[0], "%v", err)
	}
	t.boxes = append(t.boxes, r)
	return nil
}

// addPlace stores the place of a patch, and what the first row states of all.
func (t *table) addPlace(row []string) error {
	for _, at := range t.places {
		v, err := t.parse(row[at], 64)
		if err != nil || !isPlace(v) {
			return t.at(at, "%q is no place on a slide", row[at])
		}
		t.points = append(t.points, v)
	}
	for _, at := range t.extent {
		v, err := t.parse(row[at], 64)
		if err != nil || !(v > 0) || !isPlace(v) {
			return t.at(at, "%q is not the side of a patch", row[at])
		}
		t.points = append(t.points, t.points[len(t.points)-2]+v)
	}
	if t.extent != nil && t.middle() {
		// Corners of a patch whose middle and size are stated.
		c := t.points[len(t.points)-4:]
		width, height := c[2]-c[0], c[3]-c[1]
		for i, half := range []float64{width / 2, height / 2, width / 2, height / 2} {
			c[i] -= half
		}
	}
	if t.common == nil {
		t.common = attributes{}
	}
	for _, at := range t.facts {
		name := strings.ToLower(t.names[at])
		if v, err := t.parse(row[at], 64); slices.Contains(sizeColumns, name) &&
			(err != nil || !(v > 0)) {
			return t.at(at, "%q is not the side of a patch", row[at])
		}
		if name == "size" {
			name = "patch_size"
		}
		first, known := t.common[name]
		if !known {
			t.common[name] = t.pointed(row[at])
		} else if first != t.pointed(row[at]) {
			return t.at(at, "it is %q here and %q in the first row, but holds for all patches; "+
				"state the rectangle of each by columns x0, y0, x1 and y1", row[at], first)
		}
	}
	return nil
}

// addBoxes sets the boxes of a table with columns of places.
func (t *table) addBoxes(s *Set) error {
	name := t.names[t.places[0]]
	g := groundOf(t.common, name)
	g.middle = t.middle()
	return s.place(&places{file: t.file, corners: t.points, axes: 2 + len(t.extent)}, g)
}

// middle reports whether places are the middles of patches.
func (t *table) middle() bool {
	_, rest, _ := unitOfName(t.names[t.places[0]])
	return slices.Contains(middleColumns[0], plainName(rest))
}

// label returns the label in a cell: an integer, or the code of a word in a column of words.
func (t *table) label(w *labelWords, row []string, at int) (int, error) {
	if _, err := t.parse(row[at], 64); !w.began && !isMissing(row[at]) {
		w.began, w.words = true, errors.Is(err, strconv.ErrSyntax)
	}
	if !w.began || w.words {
		return w.add(t, row[at], at)
	}
	return t.integer(row, at)
}

// integer returns the integer in a cell, which may be written as 1.0.
func (t *table) integer(row []string, at int) (int, error) {
	v, err := t.parse(row[at], 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > mostExact {
		return 0, t.at(at, "%q is not an integer", row[at])
	}
	return int(v), nil
}

// at returns a *FormatError for a column of the last row read.
func (t *table) at(column int, format string, args ...any) error {
	return &FormatError{File: t.file, Row: t.line(column), Column: column + 1,
		Field: t.names[column], Reason: msg.Sprintf(format, args...)}
}

// wrongNumber returns the error for a cell that is not a finite float32.
func (t *table) wrongNumber(column int, cell string, v float64, err error) error {
	return t.at(column, "%s; or ignore the column: columns %s=skip",
		msg.Text(numberFault(cell, v, err)), t.columns.label(column))
}

// numberFault returns what is wrong with a cell that is not a finite float32.
func numberFault(cell string, v float64, err error) string {
	switch {
	case cell == "":
		return "the cell is empty: fill it, or remove the row"
	case errors.Is(err, strconv.ErrRange):
		return msg.Sprintf("%s is too large for a 32-bit number: scale the column, or remove "+
			"the row", cell)
	case err != nil:
		return msg.Sprintf("%q is not a number", cell)
	}
	return msg.Sprintf("the value is %v; all values must be finite: replace it, or remove the "+
		"row", v)
}

// recode replaces the words of labels by classes.
func (t *table) recode(o Options) error {
	for _, c := range []struct {
		words  *labelWords
		at     int
		labels []int
	}{{&t.classWords, t.class, t.classes}, {&t.labelWords, t.instance, t.labels}} {
		if c.at < 0 {
			continue
		}
		legend, err := c.words.recode(t.file, t.columns.label(c.at), c.labels, o)
		if err != nil {
			return err
		}
		if legend != "" {
			t.said, t.legends[c.at] = true, legend
		}
	}
	return nil
}

// set returns the set of bags, with the rows of each bag made adjacent.
func (t *table) set(o Options) (*Set, error) {
	a := &Array{Shape: []int{len(t.bagOf), len(t.features)}, dtype: dtype{kind: 'f', size: 4},
		data: t.values, file: t.file, start: -1}
	s, err := newSet(t.file, a, o)
	if err != nil {
		return nil, err
	}
	s.names = t.ids
	if t.title >= 0 {
		s.names = t.titles
	} else if t.id < 0 {
		s.names = []string{bagName(t.file, o)}
	}
	if t.places != nil {
		if err := t.addBoxes(s); err != nil {
			return nil, err
		}
	}
	if t.boxes != nil {
		s.boxes = t.boxes
	}
	if err := t.recode(o); err != nil {
		return nil, err
	}
	s.labels = t.labels
	if t.class >= 0 {
		s.classes = t.classes
	}
	if t.covariates != nil {
		s.covariates = t.stated
	}
	t.takeNames(s)
	s.notes = append(t.notes(t.file, t.dialect), s.notes...)
	s.regroup(t.bagOf)
	return s, nil
}
