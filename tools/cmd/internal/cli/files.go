package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

// writeCSV writes rows to a file under a heading.
func WriteCSV(name string, rows [][]string) error {
	return WriteFile(name, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// writeFile creates a file and reports whatever goes wrong until it is closed.
func WriteFile(name string, write func(io.Writer) error) (err error) {
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
func Exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
