package cli

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Table prints rows of cells in aligned columns. The first column is aligned left. The others are
// aligned right, as for numbers, unless Words is set.
type Table struct {
	Words bool
	rows  [][]string
}

// Add appends a row. A cell stays in its line: a name from a file must not look like another row.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = msg.Line(cell)
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows, the heading included.
func (t *Table) Len() int { return len(t.rows) }

// Write appends the table to a text. The first row is a heading and is underlined.
func (t *Table) Write(to *bytes.Buffer) {
	// A column is as wide as its widest cell. Widths count characters, not bytes.
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
		t.writeRow(to, row, widths)
		if n == 0 {
			rule := make([]string, len(row))
			for i := range row {
				rule[i] = strings.Repeat("-", widths[i])
			}
			t.writeRow(to, rule, widths)
		}
	}
}

// writeRow appends one line. Trailing blanks are removed, because rows can end with empty cells.
func (t *Table) writeRow(to *bytes.Buffer, row []string, widths []int) {
	line := ""
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 || t.Words {
			line += "  " + cell + pad
		} else {
			line += "  " + pad + cell
		}
	}
	to.WriteString(strings.TrimRight(line, " ") + "\n")
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

// EarlyNotes returns what writes notes to standard error before long work begins.
func EarlyNotes(c *cobra.Command) func(notes []string) {
	return func(notes []string) {
		var to bytes.Buffer
		WriteNotes(&to, notes)
		c.PrintErr(to.String())
	}
}

// shownNotes is how many notes are printed below a table. They begin with the most important.
const shownNotes = 3

// WriteNotes appends a line for each of the first notes, below a table, and one for the number of
// others.
func WriteNotes(to *bytes.Buffer, notes []string) {
	for _, n := range notes[:min(len(notes), shownNotes)] {
		fmt.Fprintf(to, "  note: %s\n", msg.Line(n))
	}
	if more := len(notes) - shownNotes; more > 0 {
		fmt.Fprintf(to, "  note: %d more with --json\n", more)
	}
}
