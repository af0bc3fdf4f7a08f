// Package parquet reads tables of Apache Parquet (parquet-format 2.11) column by column, by ranges
// of the file.
//
// It reads flat columns, fields of records and lists of one level, pages of versions 1 and 2, all
// encodings but the deprecated bit packing of levels, and blocks packed by Snappy, gzip, Zstandard
// and LZ4_RAW. Other columns are described by frame.Other, or fail when they are read.
package parquet

import (
	"encoding/binary"
	"io"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// Magic begins and ends a file.
const Magic = "PAR1"

// tailBytes is what a file ends with: the size of the description, and Magic.
const tailBytes = 8

// descriptionShare is how many bytes a byte of the description takes when it is read.
const descriptionShare = 64

// rewrite writes a table in a form that this package reads.
const rewrite = "write it again with pandas: python3 -c \"import pandas; " +
	"pandas.read_parquet('FILE').to_parquet('bag.parquet')\""

// A File is an open file. It is a frame.Table.
type File struct {
	r      io.ReaderAt
	size   int64
	limits frame.Limits
	rows   int64
	leaves []leaf
	groups []rowGroup
}

// A rowGroup holds a part of all columns.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// A chunk is a column of a row group.
type chunk struct {
	outside bool // it is in another file
	codec   int
	values  int64
	start   int64
	size    int64
}

// Open reads the description of a file of size bytes. Errors are a *frame.FormatError, a
// *frame.LimitError or those of Limits.Reserve.
func Open(r io.ReaderAt, size int64, l frame.Limits) (*File, error) {
	f := &File{r: r, size: size, limits: l}
	if size < int64(len(Magic))+tailBytes {
		return nil, f.damaged(0, "it is too short")
	}
	var tail [tailBytes]byte
	if err := f.fill(tail[:], size-tailBytes); err != nil {
		return nil, err
	}
	if string(tail[4:]) == "PARE" {
		return nil, f.damaged(0, "it is encrypted; write it without encryption")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	at := size - tailBytes - n
	if string(tail[4:]) != Magic || at < int64(len(Magic)) {
		return nil, f.damaged(size-tailBytes, "it does not end as Parquet files do; it may be "+
			"incomplete")
	}
	if n > l.Bytes {
		return nil, &frame.LimitError{What: msg.Sprintf("its description has %d bytes", n),
			Setting: "bytes", Limit: l.Bytes}
	}
	if err := l.Hold(descriptionShare * n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := f.fill(b, at); err != nil {
		return nil, err
	}
	t := &thrift{b: b}
	schema := f.describe(t)
	if t.err != nil {
		return nil, f.damaged(at+int64(t.pos), "%v", t.err)
	}
	var err error
	if f.leaves, err = leaves(schema); err != nil {
		return nil, f.damaged(at, "%v", err)
	}
	if int64(len(f.leaves)) > l.Columns {
		return nil, &frame.LimitError{What: msg.Sprintf("it has %d columns", len(f.leaves)),
			Setting: "columns", Limit: l.Columns}
	}
	return f, f.check(at)
}

// describe reads FileMetaData, and returns its schema.
func (f *File) describe(t *thrift) (schema []element) {
	t.fields(thriftStruct, func(id int, kind byte) bool {
		switch id {
		case 2:
			t.list(kind, func(kind byte) { schema = append(schema, t.readElement(kind)) })
		case 3:
			f.rows = t.number(kind)
		case 4:
			t.list(kind, func(kind byte) { f.groups = append(f.groups, t.readGroup(kind)) })
		default:
			return false
		}
		return true
	})
	return schema
}

// readGroup reads a RowGroup.
func (t *thrift) readGroup(kind byte) rowGroup {
	g := rowGroup{}
	t.fields(kind, func(id int, kind byte) bool {
		switch id {
		case 1:
			t.list(kind, func(kind byte) { g.chunks = append(g.chunks, t.readChunk(kind)) })
		case 3:
			g.rows = t.number(kind)
		default:
			return false
		}
		return true
	})
	return g
}

// readChunk reads a ColumnChunk and the ColumnMetaData in it.
func (t *thrift) readChunk(kind byte) chunk {
	c := chunk{}
	dictionary := int64(0)
	t.fields(kind, func(id int, kind byte) bool {
		switch id {
		case 1:
			c.outside = t.text(kind) != ""
			return true
		case 3:
		default:
			return false
		}
		t.fields(kind, func(id int, kind byte) bool {
			switch id {
			case 4:
				c.codec = int(t.number(kind))
			case 5:
				c.values = t.number(kind)
			case 7:
				c.size = t.number(kind)
			case 9:
				c.start = t.number(kind)
			case 11:
				dictionary = t.number(kind)
			default:
				return false
			}
			return true
		})
		return true
	})
	if dictionary > 0 && dictionary < c.start { // old writers state 0, or the place of the data
		c.start = dictionary
	}
	return c
}

// check compares what the description says of rows, columns and places.
func (f *File) check(at int64) error {
	if f.rows < 0 || f.rows > f.limits.Rows {
		if f.rows < 0 {
			return f.damaged(at, "it states %d rows", f.rows)
		}
		return &frame.LimitError{What: msg.Sprintf("it holds %d rows", f.rows),
			Setting: "instances", Limit: f.limits.Rows}
	}
	left := f.rows
	for i, g := range f.groups {
		if g.rows < 0 || g.rows > left || len(g.chunks) != len(f.leaves) {
			return f.damaged(at, "row group %d has %d rows and %d of %d columns", i, g.rows,
				len(g.chunks), len(f.leaves))
		}
		left -= g.rows
		for j, c := range g.chunks {
			if c.outside {
				return f.damaged(at, "its columns are in other files; %s", msg.Text(rewrite))
			}
			if c.start < int64(len(Magic)) || c.size < 0 || c.start > at || c.size > at-c.start ||
				c.values < 0 {
				return f.damaged(at, "column %s of row group %d lies outside of the file",
					f.leaves[j].Name, i)
			}
		}
	}
	if left != 0 {
		return f.damaged(at, "its row groups have %d rows less than it states", left)
	}
	return nil
}

// Columns implements frame.Table.
func (f *File) Columns() []frame.Column {
	list := make([]frame.Column, len(f.leaves))
	for i := range list {
		list[i] = f.leaves[i].Column
	}
	return list
}

// Rows implements frame.Table.
func (f *File) Rows() int64 { return f.rows }

// fill fills p with the bytes at a place.
func (f *File) fill(p []byte, at int64) error { return frame.Fill(f.r, p, at) }

func (f *File) damaged(at int64, format string, args ...any) *frame.FormatError {
	return &frame.FormatError{Offset: at, Reason: msg.Sprintf(format, args...)}
}
