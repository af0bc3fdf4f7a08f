package cli

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A Table prints rows of cells in aligned columns. The first column is aligned left. The others are
// aligned right, as for numbers, unless Words is set.
type Table struct {
	Words bool
	rows  [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Len returns the number of rows, the heading included.
func (t *Table) Len() int { return len(t.rows) }

// Write prints the table; the first row is a heading and is underlined.
func (t *Table) Write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range t.rows {
		if _, err := fmt.Fprintln(w, "  "+t.align(row, widths)); err != nil {
			return err
		}
		if n == 0 {
			rule := make([]string, len(row))
			for i := range row {
				rule[i] = strings.Repeat("-", widths[i])
			}
			if _, err := fmt.Fprintln(w, "  "+t.align(rule, widths)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table) align(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			b.WriteString("  ")
		}
		if i == 0 || t.Words {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Signed formats a score with a sign and four decimals, or in scientific notation if it is very
// small or large. NaN gives "-".
func Signed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e5) {
		return fmt.Sprintf("%+.1e", v)
	}
	return fmt.Sprintf("%+.4f", v)
}

// Short is Signed without a plus sign.
func Short(v float64) string { return strings.TrimPrefix(Signed(v), "+") }

// WriteNotes prints notes under a table.
func WriteNotes(w io.Writer, notes []string) error {
	for _, n := range notes {
		if _, err := fmt.Fprintf(w, "  note: %s\n", n); err != nil {
			return err
		}
	}
	return nil
}
