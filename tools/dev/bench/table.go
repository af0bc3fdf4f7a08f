package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A Report is all that one run of the program measured.
type Report struct {
	Machine Machine  `json:"machine"`
	Rows    []Row    `json:"rows"`
	Skipped []string `json:"skipped"` // what was left out, and why
}

// writeJSON writes the report for programs.
func (r *Report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

var columns = []string{"job", "engine", "target", "median", "range", "rounds", "/ peer",
	"/ forward", "remarks"}

// writeTable writes the report for people, as a table in Markdown whose columns are lined up.
func (r *Report) writeTable(w io.Writer) error {
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
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "\nLeft out: %s", s)
	}
	if len(r.Skipped) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLine(b *strings.Builder, line []string, widths []int, fill rune) {
	for c, text := range line {
		pad := strings.Repeat(string(fill), widths[c]-utf8.RuneCountInString(text))
		fmt.Fprintf(b, "| %s%s ", text, pad)
	}
	b.WriteString("|\n")
}

// cells returns the texts of a row, in the order of columns.
func (r Row) cells() []string {
	out := []string{r.Job, r.Engine, r.Target, "", "", "", times(r.RatioToPeer),
		times(r.RatioToForward), r.remarks()}
	switch {
	case r.Bytes != nil:
		out[3] = fmt.Sprintf("%s brotli", megabytes(r.Bytes.Brotli))
		out[4] = fmt.Sprintf("%s raw, %s gzip", megabytes(r.Bytes.Raw), megabytes(r.Bytes.Gzip))
	case r.PeakBytes > 0:
		out[3] = megabytes(r.PeakBytes)
	default:
		out[3] = milliseconds(r.MedianMS)
		out[4] = fmt.Sprintf("%s - %s", significant(r.MinMS), significant(r.MaxMS))
		out[5] = fmt.Sprint(r.Rounds)
	}
	return out
}

func (r Row) remarks() string {
	var parts []string
	if r.Coalitions > r.Measured && r.Measured > 0 {
		parts = append(parts, fmt.Sprintf("scaled from %d of %d coalitions", r.Measured,
			r.Coalitions))
	}
	if r.InstanceUS > 0 {
		text := significant(r.InstanceUS) + " µs an instance"
		if r.Growth != nil {
			text += ", " + times(r.Growth) + " that of the smallest bag"
		}
		parts = append(parts, text)
	}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, "; ")
}

// significant writes three significant digits, without an exponent.
func significant(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func milliseconds(v float64) string {
	if v >= 10_000 {
		return significant(v/1000) + " s"
	}
	return significant(v) + " ms"
}

func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

// times writes a ratio, "" when there is none.
func times(q *float64) string {
	if q == nil {
		return ""
	}
	return significant(*q) + "x"
}
