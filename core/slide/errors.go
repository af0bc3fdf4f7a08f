package slide

import (
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A FormatError reports a fault in a slide's file.
type FormatError struct {
	File   string
	Reason string
	Err    error // what a decoder returned, or nil
}

// Error returns the file and the reason.
func (e *FormatError) Error() string { return msg.Sprintf("%s: %s", e.File, msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// An UnsupportedError reports a kind of slide that this package does not read.
type UnsupportedError struct {
	File string
	Of   string // "TIFF files"
	What string // "compression by JPEG 2000"
	Way  string // how to convert the file, in words with a command
}

// Kind returns "format".
func (e *FormatError) Kind() string { return kind.Format }

// Error returns the file, what is not supported, and how to convert the file.
func (e *UnsupportedError) Error() string {
	return msg.Sprintf("%s: %s with %s are not supported; %s", e.File, msg.Text(e.Of),
		msg.Text(e.What), msg.Text(e.Way))
}

// Kind returns "unsupported".
func (e *UnsupportedError) Kind() string { return kind.Unsupported }

// A LimitError reports that pixels are asked for, or stored together, beyond what is allowed.
type LimitError struct {
	File  string
	What  string // "a block of level 0"
	Width int64
	High  int64
	Limit int64  // pixels
	Way   string // how to write a pyramid: small tiles, and small levels for large regions
}

// Error returns what is too large, the limit, and how to convert the file.
func (e *LimitError) Error() string {
	return msg.Sprintf("%s: %s; at most %d can be decoded together; %s", e.File,
		msg.Text(e.Size()), e.Limit, msg.Text(e.Way))
}

// Kind returns "limit".
func (e *LimitError) Kind() string { return kind.Limit }

// Size returns what is too large: "a block of level 0 has 9000 x 9000 pixels".
func (e *LimitError) Size() string {
	return msg.Sprintf("%s has %d x %d pixels", e.What, e.Width, e.High)
}

// unsupported returns an UnsupportedError of a TIFF file.
func unsupported(file, what, way string) error {
	return &UnsupportedError{file, "TIFF files", what, way}
}

// tooLarge returns a LimitError of a file that libvips reads.
func tooLarge(file, what string, width, high, limit int64) error {
	return &LimitError{file, what, width, high, limit,
		"libvips writes tiles and levels: " + convert}
}

// bad returns a FormatError.
func bad(file, format string, args ...any) error {
	return &FormatError{File: file, Reason: msg.Sprintf(format, args...)}
}

// because returns a FormatError that another error caused.
func because(err error, file, format string, args ...any) error {
	return &FormatError{File: file, Err: err,
		Reason: msg.Sprintf("%s: %v", msg.Text(msg.Sprintf(format, args...)), err)}
}
