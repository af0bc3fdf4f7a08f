package mat

import (
	"encoding/binary"
	"io"

	"github.com/bagscope/bagscope/internal/msg"
)

// Magic is how a file begins.
const Magic = "MATLAB 5.0 MAT-file"

// headerBytes is the length of the text, the version and the mark of the byte order.
const headerBytes = 128

// Limits bounds the memory of reading a file.
type Limits struct {
	// Unpack reads a packed variable to its end, within the caller's limits.
	Unpack func(io.Reader) ([]byte, error)
	// Reserve is called before memory for values is allocated.
	Reserve func(bytes int64) error
}

// A FormatError reports a damaged file.
type FormatError struct {
	Offset int64 // byte of the file, or of an unpacked variable, before the fault
	Reason string
}

func (e *FormatError) Error() string {
	return msg.Sprintf("byte %d: %s", e.Offset, msg.Text(e.Reason))
}

// A file is what reading shares.
type file struct {
	limits Limits
	order  binary.ByteOrder
	values int // number of values read so far
}

// Bounds of values: how deep they are nested, how many a file has, and what one takes.
const (
	deepest    = 16
	mostValues = 1 << 21
	valueBytes = 256
	valueBlock = 256 // values that are reserved at a time
)

// Read returns the variables of a file in their order. Errors are a *FormatError and those of
// limits.
func Read(data []byte, l Limits) ([]*Value, error) {
	if len(data) < headerBytes {
		return nil, &FormatError{0, "its header is cut off"}
	}
	f := &file{limits: l, order: binary.LittleEndian}
	switch string(data[126:128]) {
	case "IM":
	case "MI":
		f.order = binary.BigEndian
	default:
		return nil, &FormatError{126, "its byte order is neither IM nor MI"}
	}
	var all []*Value
	r := &reader{f: f, b: data, pos: headerBytes}
	for r.left() > 0 {
		e, err := r.element()
		if err != nil {
			return nil, err
		}
		v, err := f.variable(e)
		if err != nil {
			return nil, err
		}
		if v != nil {
			all = append(all, v)
		}
	}
	return all, nil
}

// variable returns a variable, or nil for an element that is none.
func (f *file) variable(e element) (*Value, error) {
	if e.kind == miCompressed {
		data, err := f.unpack(e)
		if err != nil {
			return nil, err
		}
		r := &reader{f: f, b: data}
		if e, err = r.element(); err != nil {
			return nil, err
		}
	}
	if e.kind != miMatrix {
		return nil, nil
	}
	return f.value(e, 0)
}
