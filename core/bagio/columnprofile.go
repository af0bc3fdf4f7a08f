package bagio

import (
	"encoding/csv"
	"hash/maphash"
	"math"
	"slices"
	"strings"
)

// A cellKind is what the cells of a column are.
type cellKind int

const (
	kindMissing cellKind = iota // no cell has a value
	kindText
	kindWhole // whole numbers
	kindReal
)

// A columnProfile is what the rows say of a column whose name says nothing.
type columnProfile struct {
	kind    cellKind
	began   bool // last is a number
	last    float64
	rises   bool // each number is larger than the last one
	inBag   bool // each number is larger than the last one of its bag
	within  int  // comparisons of inBag and varies
	varies  bool // rows of a bag that follow each other have different numbers
	differs bool // rows of different bags that follow each other have
	settled bool
	hashes  map[uint64]struct{} // hashes of the cells, if it matters whether they repeat
	repeats bool
}

// fewest is the number of rows from which rising or different numbers are no chance.
const fewest = 8

// A profile holds the profiles of undecided columns.
type profile struct {
	columns map[int]*columnProfile
	rows    int
}

// countsRows reports whether a column holds whole numbers that rise from row to row, in the whole
// file or in each bag.
func (p *profile) countsRows(at int) bool {
	c := p.columns[at]
	return c != nil && c.kind == kindWhole &&
		(c.rises && p.rows >= fewest || c.inBag && c.within >= fewest-1)
}

// ofBags reports whether a column holds one number for all rows of a bag, another one for other
// bags.
func (p *profile) ofBags(at int) bool {
	c := p.columns[at]
	return c != nil && c.kind >= kindWhole && !c.varies && c.differs && c.within >= fewest-1
}

// unique reports whether no cell of a column occurs twice in many rows.
func (p *profile) unique(at int) bool {
	c := p.columns[at]
	return c.hashes != nil && !c.repeats && p.rows >= fewest
}

// kind returns what the cells of a profiled column are.
func (p *profile) kind(at int) cellKind { return p.columns[at].kind }

// profiled reads rows until they have settled what the columns of a list hold. bag is the column of
// the bag's id, or -1, and first the column whose cells may repeat or not, or -1. Errors of rows
// are those of the reading that follows, except that of reserving memory.
func (t *table) profiled(r *csv.Reader, list []int, bag, first int) (*profile, error) {
	p := &profile{columns: map[int]*columnProfile{}}
	for _, at := range list {
		p.columns[at] = &columnProfile{rises: true, inBag: true, varies: bag < 0}
	}
	seed := maphash.MakeSeed()
	if first >= 0 {
		p.columns[first].hashes = map[uint64]struct{}{}
	}
	open, last, d := slices.Clone(list), "", t.dialect
	for len(open) > 0 {
		row, err := r.Read()
		if err != nil || len(row) != len(t.names) {
			return p, nil
		}
		p.rows++
		same := true
		if bag >= 0 {
			same = row[bag] == last && p.rows > 1
			last = strings.Clone(row[bag])
		}
		for _, at := range open {
			c, cell := p.columns[at], strings.TrimSpace(row[at])
			if c.hashes != nil && !c.repeats {
				if err := t.hash(c, maphash.String(seed, cell)); err != nil {
					return nil, err
				}
			}
			c.add(&d, cell, same && p.rows > 1)
		}
		open = slices.DeleteFunc(open, func(at int) bool {
			c := p.columns[at]
			return c.settled && (c.hashes == nil || c.repeats)
		})
	}
	return p, nil
}

// hashBytes are what a set of hashes takes for each, while it grows.
const hashBytes = 64

// hash adds the hash of a cell. The set is as large as a file has rows if no cell repeats.
func (t *table) hash(c *columnProfile, h uint64) error {
	if len(c.hashes)%1024 == 0 {
		if err := t.limits.reserve(t.file, 1024*hashBytes); err != nil {
			return err
		}
	}
	_, c.repeats = c.hashes[h]
	c.hashes[h] = struct{}{}
	return nil
}

// add adds a cell. same states that the last row is of the same bag.
func (c *columnProfile) add(d *dialect, cell string, same bool) {
	if c.settled || isMissing(cell) {
		return
	}
	v, err := d.parse(cell, 64)
	if err != nil {
		if c.kind == kindMissing {
			c.kind = kindText
		}
		c.settled = true // a text among numbers is a fault that reading reports
		return
	}
	if v != math.Trunc(v) || v-v != 0 {
		c.kind, c.rises, c.inBag = kindReal, false, false
	}
	if c.kind >= kindWhole && c.began {
		c.rises = c.rises && v > c.last
		if same {
			c.inBag = c.inBag && v > c.last
			c.varies = c.varies || v != c.last
			c.within++
		} else {
			c.differs = c.differs || v != c.last
		}
	}
	c.kind, c.last, c.began = max(c.kind, kindWhole), v, true
	c.settled = !c.rises && !c.inBag && c.varies
}
