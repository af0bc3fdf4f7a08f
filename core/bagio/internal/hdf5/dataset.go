package hdf5

import (
	"fmt"
	"slices"
)

// A Dataset is an array in a file. Its methods must not run at the same time.
type Dataset struct {
	Path       string
	Shape      []int // no axes for a single number
	Type       Type
	Attributes []Attribute

	s       *source
	most    []uint64 // maximal lengths of the axes
	store   storage
	filters []filter
	fill    []byte  // an entry, or nil for zeros
	problem error   // why the values cannot be read, or nil
	state   *state  // what reading has cached
	member  *member // the number of each entry that is read, of a compound type; else nil
}

// dataset reads the header of a dataset. What this package does not support becomes the dataset's
// problem.
func (f *File) dataset(path string, h *header) error {
	d := &Dataset{Path: path, s: f.s, state: &state{}}
	f.byAddr[h.addr] = d
	f.datasets = append(f.datasets, d)
	var err error
	if d.Attributes, err = f.s.attributes(h); err != nil {
		return err
	}
	// Type and shape come first, because the others are compared with them.
	for _, read := range []func(*header) error{d.readType, d.readSpace, d.readFill, d.readFilters,
		d.readStorage} {
		if err := inside(path, read(h)); isUnsupported(err) {
			d.problem = firstError(d.problem, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Supported returns nil if the values can be read, or an *UnsupportedError.
func (d *Dataset) Supported() error {
	t := d.Type
	if d.member != nil {
		t = d.member.kind
	}
	if d.problem == nil && !t.numeric() {
		return inside(d.Path, unsupportedType(t))
	}
	return d.problem
}

func unsupportedType(t Type) error { return unsupported("an array of the type %q", t.String()) }

// Memory returns the most bytes that reading takes beside the destination: chunks on their way from
// the file, and pieces that are converted.
func (d *Dataset) Memory() int64 {
	if d.store.class != chunked {
		return pieceBytes
	}
	if len(d.filters) == 0 {
		return max(pieceBytes, int64(d.store.bytes))
	}
	return 3 * int64(packedLimit(d.store.bytes))
}

// required returns a cursor over the body of a message that each dataset has.
func (d *Dataset) required(h *header, kind uint16, name string) (*cursor, error) {
	m := h.find(kind)
	if m == nil {
		return nil, damaged(h.addr, "a dataset has no %s", name)
	}
	return d.s.body(m)
}

func (d *Dataset) readType(h *header) error {
	c, err := d.required(h, msgDatatype, "datatype")
	if err != nil {
		return err
	}
	d.Type = datatype(c)
	if c.err == nil && d.Type.Kind == 0 && d.Type.members == nil {
		return unsupportedType(d.Type)
	}
	return c.err
}

func (d *Dataset) readSpace(h *header) error {
	c, err := d.required(h, msgDataspace, "dataspace")
	if err != nil {
		return err
	}
	p, err := dataspace(c, d.s.limits.Elements)
	d.Shape, d.most = p.shape, p.most
	if err == nil && p.null {
		return unsupported("an array without a shape")
	}
	return err
}

// readFill reads the value of entries that are not stored (sections "Fill Value Message").
func (d *Dataset) readFill(h *header) error {
	var value []byte
	if m := h.find(msgFill); m != nil {
		c, err := d.s.body(m)
		if err != nil {
			return err
		}
		version := c.version("fill value", 1, 3)
		has := true
		if version == 3 {
			has = c.u8()&0x20 != 0
		} else {
			c.bytes(2)
			has = c.u8() != 0 || version == 1
		}
		if has {
			value = c.bytes(int(c.u32()))
		}
		if c.err != nil {
			return c.err
		}
	} else if m := h.find(msgOldFill); m != nil {
		c, err := d.s.body(m)
		if err != nil {
			return err
		}
		if value = c.bytes(int(c.u32())); c.err != nil {
			return c.err
		}
	}
	if d.problem == nil && len(value) != 0 && len(value) != d.Type.Size {
		return damaged(h.addr, "a fill value has %d bytes", len(value))
	}
	d.fill = slices.Clone(value)
	return nil
}

// row returns the number of entries in a row.
func (d *Dataset) row() int {
	n := 1
	for _, length := range d.Shape[min(1, len(d.Shape)):] {
		n *= length
	}
	return n
}

// Rows returns the length of the first axis, or 1 for a single number.
func (d *Dataset) Rows() int {
	if len(d.Shape) == 0 {
		return 1
	}
	return d.Shape[0]
}

// check returns an error if a block of rows cannot be read into n entries.
func (d *Dataset) check(n, from, rows int) error {
	if err := d.Supported(); err != nil {
		return err
	}
	if from < 0 || rows < 0 || from > d.Rows()-rows {
		return &LookupError{d.Path, fmt.Sprintf("it has %d rows; rows %d to %d are not in it",
			d.Rows(), from, from+rows-1)}
	}
	if n != rows*d.row() {
		return &LookupError{d.Path, fmt.Sprintf("%d rows of %d numbers do not fit in %d", rows,
			d.row(), n)}
	}
	return nil
}
