package jsontext

import (
	"encoding/json"
	"fmt"
)

// A BoundedList is a JSON list from an untrusted sender, of at most 1024 values. The bound protects
// memory, because a value of two bytes such as {} can take a hundred bytes in memory.
type BoundedList[T any] []T

const maxListLength = 1024

// UnmarshalJSON implements json.Unmarshaler.
func (f *BoundedList[T]) UnmarshalJSON(data []byte) error {
	return UnmarshalBounded(data, maxListLength, (*[]T)(f))
}

// UnmarshalBounded decodes a JSON list. It returns an error if the list has more than most values.
func UnmarshalBounded[T any](data []byte, most int, to *[]T) error {
	if n := countValues(data); n > most {
		return fmt.Errorf("a list has %d values, but at most %d are allowed", n, most)
	}
	return json.Unmarshal(data, to)
}

// countValues returns the number of values of a list in valid JSON, without the values inside
// nested lists and objects.
func countValues(data []byte) int {
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
