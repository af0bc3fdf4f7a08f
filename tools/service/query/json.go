package query

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A Number is written with all its digits. NaN and infinities are written as null, because JSON
// does not have them.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// Exact formats a number with all its digits, as in CSV files; NaN gives "".
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Numbers converts v. It returns nil only if v is nil, so that a missing list is null and an empty
// list is not.
func Numbers(v []float64) []Number {
	if v == nil {
		return nil
	}
	return ListOf(v, func(x float64) Number { return Number(x) })
}

// List returns v, or an empty list instead of nil, which JSON would write as null.
func List[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// ListOf converts each element of a list. Like List, it never returns nil.
func ListOf[T, U any](list []T, convert func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}

// WriteJSON writes v as one line of JSON. The result has no control characters beside the end of the
// line, so that it can be printed on a terminal; encoding/json leaves U+007F to U+009F unescaped.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	text := b.Bytes()
	if bytes.ContainsFunc(text, isHighControl) {
		var out bytes.Buffer
		for _, r := range string(text) {
			if isHighControl(r) {
				fmt.Fprintf(&out, `\u%04x`, r)
			} else {
				out.WriteRune(r)
			}
		}
		text = out.Bytes()
	}
	_, err := w.Write(text)
	return err
}

// isHighControl reports whether a character is a control character above ASCII, or DEL.
func isHighControl(r rune) bool { return r >= 0x7f && r <= 0x9f }
