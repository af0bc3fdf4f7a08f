package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Report holds the results of one run of the program.
type Report struct {
	Machine Machine
	Rows    []Row
	Skipped []string // skipped jobs with the reason
}

// columns are the headings of the table.
var columns = []string{"job", "engine", "target", "median", "range", "rounds", "/ peer",
	"/ forward", "remarks"}

// table returns the report as a Markdown table with aligned columns.
func (r *Report) table() string {
	cells := [][]string{columns}
	for _, row := range r.Rows {
		cells = append(cells, row.cells())
	}
	widths := make([]int, len(columns))
	for _, line := range cells {
		for c, text := range line {
			widths[c] = max(widths[c], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Machine)
	for n, line := range cells {
		writeLine(&b, line, widths, ' ')
		if n == 0 {
			writeLine(&b, make([]string, len(columns)), widths, '-')
		}
	}
	for i, s := range r.Skipped {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "Skipped: %s\n", s)
	}
	return b.String()
}

// writeLine writes the cells of a line, padded with fill to the widths of the columns.
func writeLine(b *strings.Builder, line []string, widths []int, fill rune) {
	for c, text := range line {
		pad := strings.Repeat(string(fill), widths[c]-utf8.RuneCountInString(text))
		fmt.Fprintf(b, "| %s%s ", text, pad)
	}
	b.WriteString("|\n")
}

// cells returns the texts of a row in the order of columns.
func (r Row) cells() []string {
	out := []string{r.Job, r.Engine, r.Target, "", "", "", times(r.RatioToPeer),
		times(r.RatioToForward), r.remarks()}
	if r.PeakBytes > 0 {
		out[3] = megabytes(r.PeakBytes)
	} else {
		out[3] = milliseconds(r.MedianMS)
		out[4] = fmt.Sprintf("%s - %s", significant(r.MinMS), significant(r.MaxMS))
		out[5] = fmt.Sprint(r.Rounds)
	}
	return out
}

// remarks returns the text of the last column.
func (r Row) remarks() string {
	var parts []string
	if r.Coalitions > r.Measured && r.Measured > 0 {
		parts = append(parts, fmt.Sprintf("scaled from %d of %d coalitions", r.Measured,
			r.Coalitions))
	}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, "; ")
}

// significant returns a positive number with three significant digits, at most three decimals and
// no exponent.
func significant(v float64) string {
	decimals := 3
	for limit := 1.; decimals > 0 && v >= limit; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// milliseconds returns a time in milliseconds, or in seconds if it is at least ten seconds.
func milliseconds(v float64) string {
	if v >= 10_000 {
		return significant(v/1000) + " s"
	}
	return significant(v) + " ms"
}

// megabytes returns a number of bytes in units of 1e6 bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

// times returns a ratio such as "0.526x", or "" for nil.
func times(q *float64) string {
	if q == nil {
		return ""
	}
	return significant(*q) + "x"
}
