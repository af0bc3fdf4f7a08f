//go:build !js

package bagio

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// cellText returns an entry as the cell of a text, "" for a missing one.
func cellText(v *frame.Values, entry int) string {
	switch {
	case v.Missing != nil && v.Missing[entry]:
		return ""
	case v.Texts != nil:
		return v.Texts[entry]
	case v.Reals != nil:
		return strconv.FormatFloat(v.Reals[entry], 'g', -1, 64)
	}
	return strconv.FormatInt(v.Wholes[entry], 10)
}

// eachCell calls use with the cells of a column of the header, one row after another, until it
// returns false.
func (t *columnar) eachCell(at int, use func(cell string) bool) error {
	c := t.cursor(at)
	for range t.frame.Rows() {
		cell, err := c.next()
		if err != nil || !use(cell) {
			return err
		}
	}
	return nil
}

// A cellCursor reads the cells of a column of the header.
type cellCursor struct {
	t      *columnar
	at     int
	reader frame.Reader
	part   *frame.Values
	row    int // number of a row in part
	first  int // the entry of part with which the row begins
	total  int // rows that were read
}

func (t *columnar) cursor(at int) *cellCursor {
	return &cellCursor{t: t, at: at, reader: t.frame.Read(t.from[at]), part: &frame.Values{}}
}

// next returns the cell of the next row, which must exist.
func (c *cellCursor) next() (string, error) {
	for c.row == c.part.Rows {
		var err error
		if c.part, err = c.reader.Next(); err != nil {
			c.part = &frame.Values{}
			return "", err
		}
		c.row, c.first = 0, 0
	}
	entry, n := c.first, 1
	if c.part.Lengths != nil {
		n = int(c.part.Lengths[c.row])
		entry += c.t.entry[c.at]
		if n != 2 { // only places are read by rows
			return "", c.t.otherLength(c.at, c.total, n, 2)
		}
	}
	c.row++
	c.total++
	c.first += n
	return cellText(c.part, entry), nil
}

// otherLength returns the error for a list of another length.
func (t *columnar) otherLength(at, row, n, want int) error {
	return &FormatError{File: t.file, Row: row + 1, Field: t.columns[t.from[at]].Name,
		Reason: msg.Sprintf("its list has %d entries, and that of the first row %d; all rows have "+
			"as many", n, want)}
}

// rowBytes is what a row takes beside its features: its bag, class, labels and places, in lists
// that grow to twice their length.
const rowBytes = 4*8*5 + 4*32

// readRows reads what rows hold beside features.
func (t *columnar) readRows() error {
	if err := t.limits.reserve(t.file, rowBytes*t.frame.Rows()); err != nil {
		return err
	}
	var cursors []*cellCursor
	for at, r := range t.roles {
		if r != roleFeature && r != roleSkip {
			cursors = append(cursors, t.cursor(at))
		}
	}
	row := make([]string, len(t.names))
	for t.row = range int(t.frame.Rows()) {
		for _, c := range cursors {
			var err error
			if row[c.at], err = c.next(); err != nil {
				return err
			}
		}
		if err := t.addBag(row); err != nil {
			return err
		}
		if err := t.addCovariates(row); err != nil {
			return err
		}
		if err := t.addLabels(row); err != nil {
			return err
		}
	}
	return nil
}

// readFeatures reads the columns of features, one after another.
func (t *columnar) readFeatures() error {
	n, width := int(t.frame.Rows()), len(t.features)
	if _, err := t.limits.elements(t.file, []int{n, width}); err != nil {
		return err
	}
	// The set has a copy, in which the rows of a bag are adjacent.
	if err := t.limits.reserve(t.file, 8*int64(n)*int64(width)); err != nil {
		return err
	}
	t.values = make([]byte, 4*n*width)
	for i := 0; i < width; {
		at := t.features[i]
		entries := 1
		if t.entry[at] >= 0 { // those of a list are adjacent
			for i+entries < width && t.from[t.features[i+entries]] == t.from[at] {
				entries++
			}
		}
		err := frame.Parts(t.frame, t.from[at], func(v *frame.Values, row int) (bool, error) {
			return true, t.fill(v, row, i, entries)
		})
		if err != nil {
			return err
		}
		i += entries
	}
	return nil
}

// fill stores a part of a column, which begins at a row, as the features from feature on, of which
// each row has as many as entries.
func (t *columnar) fill(v *frame.Values, row, feature, entries int) error {
	width, at := len(t.features), 0
	for i := range v.Rows {
		if v.Lengths != nil && int(v.Lengths[i]) != entries {
			return t.otherLength(t.features[feature], row+i, int(v.Lengths[i]), entries)
		}
		for j := range entries {
			x, ok := t.feature(v, at)
			if !ok {
				t.row = row + i
				cell := cellText(v, at)
				wide, err := strconv.ParseFloat(cell, 32)
				return t.wrongNumber(t.features[feature+j], cell, wide, err)
			}
			binary.LittleEndian.PutUint32(t.values[4*((row+i)*width+feature+j):],
				math.Float32bits(x))
			at++
		}
	}
	return nil
}

// feature returns an entry, and whether it is a finite float32.
func (t *columnar) feature(v *frame.Values, at int) (float32, bool) {
	if v.Missing != nil && v.Missing[at] {
		return 0, false
	}
	x := float32(0)
	switch {
	case v.Reals != nil:
		x = float32(v.Reals[at])
	case v.Wholes != nil:
		x = float32(v.Wholes[at])
	default:
		wide, err := t.parse(v.Texts[at], 32)
		if err != nil {
			return 0, false
		}
		x = float32(wide)
	}
	return x, x-x == 0
}
