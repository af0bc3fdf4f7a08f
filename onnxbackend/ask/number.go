package ask

import (
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
