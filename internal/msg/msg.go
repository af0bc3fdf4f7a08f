package msg

import (
	"fmt"
	"strconv"
	"strings"
)

// The limits of messages, in bytes. Escapes count.
const (
	Quote = 100  // what %q prints of a text
	Name  = 300  // what other verbs print of a text: paths are longer than tokens
	Whole = 4096 // a message
)

// A Text is an argument of which Sprintf prints up to Whole bytes, because messages of this package
// and constants are its parts.
type Text string

// Sprintf is fmt.Sprintf for messages. It shortens each argument before it is formatted, to Quote
// or Name bytes, and the message to Whole bytes. A shortened text ends with an ellipsis and its
// number of bytes; of a list, the first 64 entries are printed. Hidden characters are escaped, see
// Line. Elements of args are replaced.
func Sprintf(format string, args ...any) string {
	shorten(args)
	return Within(fmt.Sprintf(format, args...), Whole)
}

// Errorf is fmt.Errorf with the rules of Sprintf. An error of %w can be unwrapped as usual.
func Errorf(format string, args ...any) error {
	shorten(args)
	err := fmt.Errorf(format, args...)
	if text := err.Error(); len(text) > Whole {
		return shortError{Within(text, Whole), err}
	}
	return err
}

// Quoted is Sprintf("%q", text).
func Quoted(text string) string { return Sprintf("%q", text) }

// List joins names with commas: each in at most Quote bytes, and as many as fit into half a
// message.
func List(names []string) Text {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > Whole/2 {
			return Text(b.String() + fmt.Sprintf("and %d more", len(names)-i))
		}
		b.WriteString(limited(name, Quote))
	}
	return Text(b.String())
}

// Cut returns text in visible characters, or its beginning and a mark if it is longer than Whole
// bytes.
func Cut(text string) string { return Within(Line(Within(text, Whole)), Whole) }

// Within returns text, or its beginning and a mark if it is longer than n bytes, which must be at
// least 40.
func Within(text string, n int) string {
	const mark = 40 // bytes
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-mark], "") + ending(len(text))
}

// ending marks a shortened text.
func ending(bytes int) string { return "… (" + strconv.Itoa(bytes) + " bytes)" }

// Fit returns the first entries of list that together have at most Whole bytes.
func Fit[T any](list []T, bytes func(T) int) []T {
	sum := 0
	for i, entry := range list {
		if sum += bytes(entry); sum > Whole {
			return list[:i]
		}
	}
	return list
}
