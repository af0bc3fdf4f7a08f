package query

import (
	"encoding/json"
	"fmt"
)

// Few is a list that a stranger sends in JSON: it holds at most 1024 values. A value of two bytes such as {} becomes a hundred in
// memory, so that a body within its limit would take all there is.
type Few[T any] []T

const few = 1024

// UnmarshalJSON implements json.Unmarshaler.
func (f *Few[T]) UnmarshalJSON(data []byte) error { return UnmarshalFew(data, few, (*[]T)(f)) }

// UnmarshalFew reads a JSON list of at most so many values.
func UnmarshalFew[T any](data []byte, most int, to *[]T) error {
	if n := values(data); n > most {
		return fmt.Errorf("a list has %d values, and may have %d", n, most)
	}
	return json.Unmarshal(data, to)
}

// values counts the values of a list in JSON that has been found whole, and those of the lists and objects in it not.
func values(data []byte) int {
	n, depth, quoted := 1, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 1:
			n++
		}
	}
	return n
}
