package msg

import (
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// shown is the largest number of entries that are printed of a list.
const shown = 64

// shorten replaces the arguments that are not short and visible.
func shorten(args []any) {
	for i, arg := range args {
		args[i] = shortened(arg)
	}
}

func shortened(arg any) any {
	v := reflect.ValueOf(arg)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return arg
	}
	switch a := arg.(type) {
	case fmt.Formatter:
		return arg
	case Text:
		return Cut(string(a))
	case *strconv.NumError: // its text repeats the whole number
		if short := begin(a.Num); len(short.text) < len(a.Num) {
			return shortError{Sprintf("strconv.%s: parsing %q: %v", a.Func, a.Num, a.Err), a}
		}
		return arg
	case error:
		text := a.Error()
		if short := Cut(text); short != text {
			return shortError{short, a}
		}
		return arg
	case fmt.Stringer:
		return shortenedText(arg, a.String())
	}
	switch v.Kind() {
	case reflect.String:
		return shortenedText(arg, v.String())
	case reflect.Slice, reflect.Array:
		return shortenedList(v)
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return begin(fmt.Sprint(arg))
	}
	return arg
}

// shortenedText returns arg if its text is short and visible.
func shortenedText(arg any, text string) any {
	if len(text) <= Quote && text == Line(text) {
		return arg
	}
	return begin(text)
}

// shortenedList returns the list v with short entries.
func shortenedList(v reflect.Value) any {
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		text := begin(string(v.Bytes()[:min(v.Len(), most)]))
		text.bytes = v.Len()
		return text
	}
	l := shortList{more: max(0, v.Len()-shown)}
	for i := range v.Len() - l.more {
		l.entries = append(l.entries, shortened(v.Index(i).Interface()))
	}
	return l
}

// most is the number of bytes from which at most Name bytes are printed.
const most = Name + utf8.UTFMax

// A shortText is the beginning of a text. The verb decides how much of it is printed.
type shortText struct {
	text  string // at most most bytes
	bytes int    // of the whole text
}

func begin(text string) shortText { return shortText{text[:min(len(text), most)], len(text)} }

// Format implements fmt.Formatter.
func (t shortText) Format(f fmt.State, verb rune) {
	text, mark := t.text, ""
	switch verb {
	case 's', 'v':
		text = t.limited(Name)
	case 'q':
		if n := prefix(text, Quote, quotedLength); n < t.bytes {
			text, mark = text[:n], ending(t.bytes)
		}
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb)+"%s", text, mark)
}

// limited returns the visible beginning of the text in at most n bytes, and a mark.
func (t shortText) limited(n int) string {
	if n = prefix(t.text, n, lineLength); n < t.bytes {
		return Line(t.text[:n]) + ending(t.bytes)
	}
	return Line(t.text)
}

func limited(text string, n int) string { return begin(text).limited(n) }

// prefix returns how many bytes of text take at most n bytes when each character takes length.
func prefix(text string, n int, length func(character string) int) int {
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		if n -= length(text[at : at+size]); n < 0 {
			return at
		}
		at += size
	}
	return len(text)
}

func lineLength(character string) int   { return len(Line(character)) }
func quotedLength(character string) int { return len(strconv.Quote(character)) - len(`""`) }

// A shortList is the beginning of a list.
type shortList struct {
	entries []any
	more    int // entries that are left out
}

// Format implements fmt.Formatter. It prints a list as fmt does.
func (l shortList) Format(f fmt.State, verb rune) {
	fmt.Fprint(f, "[")
	for i, entry := range l.entries {
		if i > 0 {
			fmt.Fprint(f, " ")
		}
		fmt.Fprintf(f, fmt.FormatString(f, verb), entry)
	}
	if l.more > 0 {
		fmt.Fprintf(f, " and %d more", l.more)
	}
	fmt.Fprint(f, "]")
}

// A shortError is an error with a shortened text.
type shortError struct {
	text string
	err  error
}

// Error returns the shortened text.
func (e shortError) Error() string { return e.text }

// Unwrap returns the error whose text is shortened.
func (e shortError) Unwrap() error { return e.err }
