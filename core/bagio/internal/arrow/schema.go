package arrow

import (
	"github.com/bagscope/bagscope/core/bagio/internal/frame"
)

// Types of fields (format/Schema.fbs).
const (
	typeNull        = 1
	typeInt         = 2
	typeFloat       = 3
	typeUtf8        = 5
	typeBool        = 6
	typeList        = 12
	typeStruct      = 13
	typeUnion       = 14
	typeFixedList   = 16
	typeMap         = 17
	typeLargeBinary = 19
	typeLargeUtf8   = 20
	typeLargeList   = 21
	typeRuns        = 22
	typeBinaryView  = 23
	typeUtf8View    = 24
	typeListView    = 25
	typeLargeView   = 26
	typeBinary      = 4
)

// mostDepth bounds fields in fields.
const mostDepth = 32

// A field describes a column, or the entries of its lists.
type field struct {
	name     string
	kind     int
	bits     int // size of a number
	unsigned bool
	size     int   // entries of lists of a fixed size
	dense    bool  // form of a union
	dict     int64 // the dictionary whose values entries refer to
	hasDict  bool
	index    *field // type of these entries
	children []*field
}

// readField reads a field.
func readField(f flat, depth int) *field {
	out := &field{name: f.text(0), kind: int(f.number(2, 1))}
	out.readType(f)
	if d, ok := f.table(4); ok {
		out.dict, out.hasDict = d.number(0, 8), true
		out.index = &field{kind: typeInt, bits: 32}
		if index, ok := d.table(1); ok {
			out.index.bits = int(index.number(0, 4))
			out.index.unsigned = index.number(1, 1) == 0
		}
	}
	if depth < mostDepth {
		f.tables(5, func(child flat) {
			out.children = append(out.children, readField(child, depth+1))
		})
	}
	return out
}

// readType reads what the type of a field states beside its kind.
func (out *field) readType(f flat) {
	t, ok := f.table(3)
	if !ok {
		return
	}
	switch out.kind {
	case typeInt:
		out.bits, out.unsigned = int(t.number(0, 4)), t.number(1, 1) == 0
	case typeFloat:
		out.bits = 16 << min(max(t.number(0, 2), 0), 2)
	case typeFixedList:
		out.size = int(t.number(0, 4))
	case typeUnion:
		out.dense = t.number(0, 2) == 1
	}
}

// column describes the field as a column of a table.
func (f *field) column() frame.Column {
	c := frame.Column{Name: f.name, Kind: f.entryKind()}
	if f.isList() && len(f.children) == 1 && !f.children[0].hasDict {
		c.List, c.Kind = true, f.children[0].entryKind()
	}
	if c.Kind == frame.Other {
		c.Type = "dates, times, decimals, records or bytes"
	}
	return c
}

// isList reports whether each row of the field is a list.
func (f *field) isList() bool {
	return !f.hasDict && (f.kind == typeList || f.kind == typeLargeList ||
		f.kind == typeFixedList && f.size >= 0)
}

// entryKind returns what single entries are.
func (f *field) entryKind() frame.Kind {
	switch f.kind {
	case typeBool:
		return frame.Whole
	case typeInt:
		if f.bits == 8 || f.bits == 16 || f.bits == 32 || f.bits == 64 {
			return frame.Whole
		}
	case typeFloat:
		if f.bits > 0 { // the type may have no description
			return frame.Real
		}
	case typeUtf8, typeLargeUtf8, typeUtf8View:
		return frame.Text
	}
	return frame.Other
}

// A place counts what a record batch has before a field.
type place struct{ nodes, buffers, variadic int }

// after returns the place behind a field. counts holds the buffers of texts of each field of views.
func (f *field) after(p place, counts []int64) place {
	p.nodes++
	own := 2 // the bitmap of entries that exist, and their values
	children := f.children
	switch {
	case f.hasDict:
		children = nil
	case f.kind == typeNull, f.kind == typeRuns:
		own = 0
	case f.kind == typeBinary, f.kind == typeUtf8, f.kind == typeLargeBinary,
		f.kind == typeLargeUtf8, f.kind == typeListView, f.kind == typeLargeView:
		own = 3
	case f.kind == typeStruct, f.kind == typeFixedList, f.kind == typeUnion && !f.dense:
		own = 1
	case f.kind == typeBinaryView, f.kind == typeUtf8View:
		if p.variadic < len(counts) {
			own += int(min(max(counts[p.variadic], 0), 1<<20))
		}
		p.variadic++
	}
	p.buffers += own
	for _, child := range children {
		p = child.after(p, counts)
	}
	return p
}
