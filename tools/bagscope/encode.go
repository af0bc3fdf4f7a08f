package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

// A number is written with all its digits, and as null where it is none: JSON knows no NaN.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
}

// numbers is nil only where v is, so that a missing list is null and an empty one is not.
func numbers(v []float64) []number {
	if v == nil {
		return nil
	}
	out := make([]number, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}

// list is v, but never null in JSON.
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeCSV writes rows to a file under a heading.
func writeCSV(name string, rows [][]string) error {
	return writeFile(name, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// writeFile creates a file and reports whatever goes wrong until it is closed.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("%s cannot be written: %w", name, closed)
		}
	}()
	return write(f)
}

// exact is a number with all its digits, as CSV files have it; nothing where there is none.
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
