package bagio

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A FormatError reports a fault in a file and its place. Fields that do not apply are zero.
type FormatError struct {
	File   string // the file's name; a member of an archive is "bags.npz/offsets.npy"
	Row    int    // line of a text file, header included, or row of another table, from 1
	Column int    // column of a table, from 1
	Field  string // name of the column
	Offset int64  // bytes before the fault in a binary file
	Reason string
	Arrays []NamedShape // arrays of two or more axes that [Options].Array can name, if it must
	Err    error        // what the reader or the decoder of the file returned, or nil
	// Misfit says that the file is read, but that its instances do not have the shape that the
	// model takes.
	Misfit bool
}

// A NamedShape is the name of an array of a file, such as "uni/features", and its shape.
type NamedShape struct {
	Name  string
	Shape []int
}

// String returns the name and the shape as NumPy prints it: "uni/features (3512, 1024)".
func (a NamedShape) String() string { return a.Name + " " + shapeText(a.Shape) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// Error returns the file, the place as far as it is known, and the reason.
func (e *FormatError) Error() string {
	place := msg.Sprintf("%s", cmp.Or(e.File, "the data"))
	if e.Row > 0 {
		place += fmt.Sprintf(", row %d", e.Row)
	}
	if e.Column > 0 {
		place += fmt.Sprintf(", column %d", e.Column)
	}
	if e.Field != "" {
		place += msg.Sprintf(" (%s)", e.Field)
	}
	if e.Offset > 0 {
		place += fmt.Sprintf(", byte %d", e.Offset)
	}
	return msg.Sprintf("%s: %s", msg.Text(place), msg.Text(e.Reason))
}

// Kind returns "format", or "bag" for a bag that does not fit the model.
func (e *FormatError) Kind() string {
	if e.Misfit {
		return kind.Bag
	}
	return kind.Format
}

// A LimitError reports that a file exceeds Limits. It is a [quota.LimitedError].
type LimitError struct {
	File    string
	What    string // "the picture has 90000 x 90000 pixels"
	Setting string // the limit: "elements" is the field Limits.Elements
	Limit   int64
}

// Error returns the file, what exceeds the limit, and the limit.
func (e *LimitError) Error() string {
	return msg.Sprintf("%s: %s; the limit is %d", e.File, msg.Text(e.What), e.Limit)
}

// Kind returns "limit".
func (e *LimitError) Kind() string { return kind.Limit }

// ExceededLimit returns "bag." and the setting.
func (e *LimitError) ExceededLimit() string { return "bag." + e.Setting }

// A StrideError is a LimitError that a picture is cut into too many patches.
type StrideError struct {
	*LimitError
	Strides []Stride // strides that make fewer patches, the smallest first
}

// A Stride is a distance of patches in pixels, and how many patches it makes.
type Stride struct{ Stride, Patches int }

// Error returns the text of the LimitError, and the smallest stride.
func (e *StrideError) Error() string {
	if len(e.Strides) == 0 {
		return msg.Sprintf("%v", e.LimitError)
	}
	return msg.Sprintf("%v; a stride of %d pixels makes %d patches", e.LimitError,
		e.Strides[0].Stride, e.Strides[0].Patches)
}

// Unwrap returns e.LimitError.
func (e *StrideError) Unwrap() error { return e.LimitError }

// bad returns a FormatError without a place inside the file. The reason continues the file's name:
// "it holds no rows".
func bad(file, format string, args ...any) *FormatError {
	return &FormatError{File: file, Reason: msg.Sprintf(format, args...)}
}

// because returns e as the consequence of another error.
func because(err error, e *FormatError) *FormatError {
	e.Err = err
	return e
}

// badAt returns a FormatError at a byte of a binary file.
func badAt(file string, offset int, format string, args ...any) *FormatError {
	return &FormatError{File: file, Offset: int64(offset), Reason: msg.Sprintf(format, args...)}
}

// shapeText writes a shape as NumPy prints it: (3, 4), (3,).
func shapeText(shape []int) string {
	s := strings.ReplaceAll(strings.Trim(fmt.Sprintf("%d", shape), "[]"), " ", ", ")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

// featureText returns the words for value at of an instance: "feature 3" of a vector, otherwise
// "value (0, 14, 20)".
func featureText(shape []int, at int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("feature %d", at)
	}
	return "value " + indexText(shape, at)
}

// indexText writes the index of entry at of an array as NumPy does: (0, 14, 20), (3,).
func indexText(shape []int, at int) string {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d], at = at%shape[d], at/shape[d]
	}
	return shapeText(index)
}
