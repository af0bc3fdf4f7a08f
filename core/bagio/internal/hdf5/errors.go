package hdf5

import (
	"errors"

	"github.com/bagscope/bagscope/internal/msg"
)

// A FormatError reports a damaged file.
type FormatError struct {
	Path   string // the object's path, or empty if the fault is not inside an object
	Offset int64  // byte behind the user block at or after which the fault lies
	Reason string
	Err    error // the error of the file's reader or of a decoder, or nil
}

func (e *FormatError) Error() string {
	if e.Err != nil {
		return msg.Sprintf("%sbyte %d: %s: %v", object(e.Path), e.Offset, msg.Text(e.Reason), e.Err)
	}
	return msg.Sprintf("%sbyte %d: %s", object(e.Path), e.Offset, msg.Text(e.Reason))
}

// Unwrap returns the error of the reader or decoder, or nil.
func (e *FormatError) Unwrap() error { return e.Err }

// An UnsupportedError reports a feature of HDF5 that this package does not read.
type UnsupportedError struct {
	Path string
	What string // the feature: "filter 32026 (blosc2)"
	Way  string // how the file is written without it, or ""
}

func (e *UnsupportedError) Error() string {
	way := msg.Text("")
	if e.Way != "" {
		way = msg.Text("; " + e.Way)
	}
	return msg.Sprintf("%s%s is not supported%s", object(e.Path), msg.Text(e.What), way)
}

// A LimitError reports that a file exceeds Limits.
type LimitError struct {
	Path    string
	What    string // "the array has 2000000 entries"
	Setting string // the limit: "elements", "objects", "metadata" or "chunk"
	Limit   int64
}

func (e *LimitError) Error() string {
	return msg.Sprintf("%s%s; the limit is %d", object(e.Path), msg.Text(e.What), e.Limit)
}

// A LookupError reports a path that leads to no dataset.
type LookupError struct {
	Path   string
	Reason string
}

func (e *LookupError) Error() string {
	return msg.Sprintf("%s%s", object(e.Path), msg.Text(e.Reason))
}

// object returns the beginning of a message about an object.
func object(path string) msg.Text {
	if path == "" {
		return ""
	}
	return msg.Text(msg.Sprintf("%s: ", path))
}

// inside adds an object's path to an error that has none.
func inside(path string, err error) error {
	switch e := err.(type) {
	case *FormatError:
		if e.Path == "" {
			e.Path = path
		}
	case *UnsupportedError:
		if e.Path == "" {
			e.Path = path
		}
	case *LimitError:
		if e.Path == "" {
			e.Path = path
		}
	}
	return err
}

// damaged returns a FormatError for a byte of the file.
func damaged(offset uint64, format string, args ...any) error {
	return &FormatError{Offset: int64(offset), Reason: msg.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &UnsupportedError{What: msg.Sprintf(format, args...)}
}

// repack returns how h5py writes a file again, with the values of all datasets in it. Filters need
// the module of their plugin.
func repack(module string) string {
	return "write it again with h5py, where the files are that it refers to: python3 -c \"import " +
		module + "; f=h5py.File('FILE'); g=h5py.File('bag.h5', 'w'); f.visititems(lambda n, " +
		"d: g.create_dataset(n, data=d[()]).attrs.update(d.attrs) if isinstance(d, h5py.Dataset) " +
		"else None)\""
}

// isUnsupported reports whether err is an *UnsupportedError.
func isUnsupported(err error) bool {
	var e *UnsupportedError
	return errors.As(err, &e)
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
