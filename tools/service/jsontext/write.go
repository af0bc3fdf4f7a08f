package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Write writes v as one line of JSON. The result has no hidden characters beside the end of the
// line, so that it can be printed on a terminal; encoding/json leaves some above ASCII unescaped.
// If v cannot be encoded, nothing is written. It takes EncodingBytes.
func Write(w io.Writer, v any) error {
	w = escaper{w}
	if x, ok := v.(*ask.Explanation); ok {
		return writeExplanation(w, x)
	}
	return encodeTo(w, v)
}

// encodeTo writes v as one line of JSON, by one call of w.
func encodeTo(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeExplanation writes the same bytes as encodeTo, but encodes the explanations of methods and
// classes one after another. They are most of the text: tens of megabytes for each method if there
// are many instances and classes. An explanation can always be encoded.
func writeExplanation(w io.Writer, x *ask.Explanation) error {
	if len(x.Explanations) == 0 {
		return encodeTo(w, x)
	}
	rest := *x
	rest.Explanations = nil
	var text bytes.Buffer
	if err := encodeTo(&text, rest); err != nil {
		return err
	}
	// Quotes in text are escaped, so that this is the key.
	head, tail, _ := bytes.Cut(text.Bytes(), []byte(`"explanations":null`))
	parts := [][]byte{head, []byte(`"explanations":[`)}
	for i := range x.Explanations {
		var one bytes.Buffer
		if err := encodeTo(&one, x.Explanations[i]); err != nil {
			return err
		}
		parts = append(parts, bytes.TrimSuffix(one.Bytes(), []byte("\n")))
		for _, p := range parts {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		parts = [][]byte{[]byte(",")}
	}
	_, err := w.Write(append([]byte("]"), tail...))
	return err
}

// An escaper escapes the hidden characters above ASCII in JSON.
type escaper struct{ w io.Writer }

// Write implements io.Writer for whole characters.
func (e escaper) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		at := bytes.IndexFunc(rest, isHidden)
		if at < 0 {
			at = len(rest)
		}
		if _, err := e.w.Write(rest[:at]); err != nil {
			return 0, err
		}
		if rest = rest[at:]; len(rest) == 0 {
			break
		}
		r, n := utf8.DecodeRune(rest)
		for _, unit := range utf16.Encode([]rune{r}) {
			if _, err := fmt.Fprintf(e.w, `\u%04x`, unit); err != nil {
				return 0, err
			}
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// isHidden reports whether a character is DEL or above, and msg.Line escapes it.
func isHidden(r rune) bool { return r >= 0x7f && msg.Line(string(r)) != string(r) }
