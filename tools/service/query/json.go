package query

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// A Number is written with all its digits, and as null where it is none: JSON knows no NaN.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// Numbers is nil only where v is, so that a missing list is null and an empty one is not.
func Numbers(v []float64) []Number {
	if v == nil {
		return nil
	}
	out := make([]Number, len(v))
	for i, x := range v {
		out[i] = Number(x)
	}
	return out
}

// List is v, but never null in JSON.
func List[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// WriteJSON writes v in one line.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
