// Package frame holds parts of tables that files keep column by column.
package frame

import (
	"errors"
	"io"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Kind is what the entries of a column are.
type Kind int

const (
	Other Kind = iota // dates, records, lists of lists and other types that no bag has
	Whole
	Real
	Text
)

// A Column describes a column.
type Column struct {
	Name string
	Kind Kind
	List bool   // each row holds a list of entries
	Type string // the type of a column of Other, in the words of the file's format
}

// Values are the entries of adjacent rows of a column: Wholes, Reals or Texts, by its kind.
type Values struct {
	Rows    int
	Lengths []int32 // (Rows) entries of each row of a column of lists
	Wholes  []int64
	Reals   []float64
	Texts   []string
	Missing []bool // (entries), or nil if none is missing; a missing one is 0 or ""
}

// Len returns the number of entries.
func (v *Values) Len() int { return len(v.Wholes) + len(v.Reals) + len(v.Texts) }

// A Table is a table of a file.
type Table interface {
	Columns() []Column
	Rows() int64
	// Read returns the parts of column i one after another, in the order of rows, and then io.EOF.
	// A part is valid until the next call.
	Read(i int) Reader
}

// A Reader reads a column.
type Reader interface{ Next() (*Values, error) }

// Parts calls use with each part of a column and the row at which it begins, until it returns false
// or an error.
func Parts(t Table, column int, use func(v *Values, row int) (bool, error)) error {
	r, row := t.Read(column), 0
	for {
		v, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if more, err := use(v, row); !more || err != nil {
			return err
		}
		row += v.Rows
	}
}

// Limits bounds what reading a table takes.
type Limits struct {
	Rows    int64
	Bytes   int64 // bytes of a part, and of the description of the table
	Columns int64
	Reserve func(bytes int64) error // reserves memory; nil reserves nothing
}

// Hold reserves bytes.
func (l Limits) Hold(bytes int64) error {
	if l.Reserve == nil {
		return nil
	}
	return l.Reserve(bytes)
}

// A FormatError reports a damaged file, or one of a kind that is not read.
type FormatError struct {
	Column string // or ""
	Offset int64  // the byte at or after which the fault lies, or 0
	Reason string
	Err    error // error of the file's reader or of a decoder, or nil
}

func (e *FormatError) Error() string { return msg.Sprintf("%s", msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// A LimitError reports that a file exceeds Limits.
type LimitError struct {
	What    string
	Setting string // "instances", "bytes" or "columns"
	Limit   int64
}

func (e *LimitError) Error() string { return msg.Sprintf("%s", msg.Text(e.What)) }

// Fill fills p with the bytes of a file at a place. A file that became shorter is a *[FormatError].
func Fill(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &FormatError{Offset: at + int64(n), Reason: "it cannot be read; it may have " +
		"changed since it was opened: open it again", Err: err}
}
