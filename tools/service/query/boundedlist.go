package query

import (
	"encoding/json"
	"fmt"
)

// A BoundedList is a JSON list from an untrusted sender; it holds at most 1024 values. The bound
// protects memory: a value of two bytes such as {} takes a hundred in memory.
type BoundedList[T any] []T

const maxListLength = 1024

// UnmarshalJSON implements json.Unmarshaler.
func (f *BoundedList[T]) UnmarshalJSON(data []byte) error {
	return UnmarshalBounded(data, maxListLength, (*[]T)(f))
}

// UnmarshalBounded decodes a JSON list of at most most values.
func UnmarshalBounded[T any](data []byte, most int, to *[]T) error {
	if n := countValues(data); n > most {
		return fmt.Errorf("a list has %d values, and may have %d", n, most)
	}
	return json.Unmarshal(data, to)
}

// countValues counts the values of a list in JSON that has been found whole, and those of the
// lists and objects in it not.
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
