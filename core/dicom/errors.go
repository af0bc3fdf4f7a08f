package dicom

import (
	"errors"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// ErrNoPictures is what a *[FormatError] wraps if a file is readable and holds no pictures, such as
// a report or a list of files.
var ErrNoPictures = errors.New("no pictures")

// A FormatError reports a fault in a file.
type FormatError struct {
	File   string
	Offset int64  // bytes before the fault, 0 if they are not known
	Reason string // continues the file's name: "it ends within an element"
	Err    error  // what a decoder returned, or nil
}

// Error returns the file and the reason.
func (e *FormatError) Error() string { return msg.Sprintf("%s: %s", e.File, msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// Kind returns "format".
func (e *FormatError) Kind() string { return kind.Format }

// An UnsupportedError reports a kind of DICOM file that this package does not read.
type UnsupportedError struct {
	File string
	What string // "compression by lossless JPEG"
	Way  string // how to convert the file, in words with a command; FILE stands for its path
}

// Error returns the file, what is not supported, and how to convert the file.
func (e *UnsupportedError) Error() string {
	return msg.Sprintf("%s: DICOM files with %s are not supported; %s", e.File, msg.Text(e.What),
		msg.Text(e.Way))
}

// Kind returns "unsupported".
func (e *UnsupportedError) Kind() string { return kind.Unsupported }

// A LimitError reports that a picture or a file exceeds [Options].
type LimitError struct {
	File    string
	What    string // "a frame has 90000 x 90000 pixels"
	Setting string // "pixels" or "bytes"
	Limit   int64
}

// Error returns the file, what exceeds the limit, and the limit.
func (e *LimitError) Error() string {
	return msg.Sprintf("%s: %s; the limit is %d", e.File, msg.Text(e.What), e.Limit)
}

// Kind returns "limit".
func (e *LimitError) Kind() string { return kind.Limit }

// bad returns a FormatError without a place.
func bad(file, format string, args ...any) *FormatError {
	return &FormatError{File: file, Reason: msg.Sprintf(format, args...)}
}

// badAt returns a FormatError at a byte of the file.
func badAt(file string, at int64, format string, args ...any) *FormatError {
	return &FormatError{File: file, Offset: at, Reason: msg.Sprintf(format, args...)}
}
