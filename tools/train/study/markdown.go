package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// Markdown writes the tables for people to read.
func (r *Report) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.line("# %s", r.Set.Title)
	p.line("")
	p.line("%s", r.conditions())
	for _, t := range r.Tables() {
		p.line("")
		p.line("## %s", t.Metric.Title)
		p.line("")
		p.table(t, []string{"Paper", "Difference", "Behind the best"}, func(row Row) []string {
			return []string{digits(row.Paper), signed(row.Difference()), behind(row.Behind)}
		}, func(s metric.Stat) string { return cell(s.Mean, s.SEM) + bracket(s.RepeatSEM) })
		if t.Trivial {
			p.line("")
			p.line("Without the items that any order solves:")
			p.line("")
			p.table(t, nil, func(Row) []string { return nil },
				func(s metric.Stat) string { return cell(s.NontrivialMean, s.NontrivialSEM) })
		}
	}
	for _, note := range r.notes() {
		p.line("")
		p.line("%s", note)
	}
	return p.err
}

// table writes a line for each method: a cell for each network and overall, and what more there is.
func (p *printer) table(
	t Table, more []string, last func(Row) []string, cell func(metric.Stat) string,
) {
	p.header(slices.Concat([]string{"Method"}, t.Columns, []string{"Overall"}, more))
	for _, row := range t.Rows {
		cells := []string{row.Title}
		for _, s := range row.all() {
			cells = append(cells, cell(s))
		}
		p.row(append(cells, last(row)...))
	}
}

// conditions says in sentences how the numbers came about.
func (r *Report) conditions() string {
	var s strings.Builder
	for i, c := range r.Columns {
		if i > 0 {
			s.WriteString("; ")
		}
		fmt.Fprintf(&s, "%s: %s %s (bags: %d)", c.Title,
			map[bool]string{true: "repeat", false: "repeats"}[len(c.Repeats) == 1],
			numbers(c.Repeats), c.Bags)
	}
	s.WriteString(". ")
	if r.Terms != "" {
		s.WriteString(r.Terms + "; ")
	}
	fmt.Fprintf(&s, "seed %d. Mean ± standard error over all bags and classes, in brackets the "+
		"standard error over repeats.", r.Seed)
	s.WriteString(" Overall is the mean over networks, its error the root mean square of theirs.")
	s.WriteString(" Behind the best is the mean difference to the best method on the same bags " +
		"and classes, ± the larger of its two errors.")
	return s.String()
}

// notes says what is missing.
func (r *Report) notes() []string {
	var notes []string
	if r.Small > 0 {
		notes = append(notes, fmt.Sprintf(
			"Bags of one or two instances, left out as in the paper: %d.", r.Small))
	}
	for _, c := range r.Columns {
		for _, s := range c.Skipped {
			notes = append(notes, fmt.Sprintf("%s, %s: %s.", c.Title, s.Method, s.Reason))
		}
	}
	return notes
}

// numbers writes repeats as 0 to 9 or 0, 2, 5.
func numbers(repeats []int) string {
	last := repeats[len(repeats)-1]
	if n := len(repeats); n > 2 && last-repeats[0] == n-1 {
		return fmt.Sprintf("%d to %d", repeats[0], last)
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(repeats), "[]"), " ", ", ")
}

// A printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) row(cells []string) { p.line("| %s |", strings.Join(cells, " | ")) }

// header writes the names of columns, the first set to the left and the others, which hold numbers,
// to the right.
func (p *printer) header(names []string) {
	p.row(names)
	p.row(append([]string{":--"}, slices.Repeat([]string{"--:"}, len(names)-1)...))
}

// digits is a number with three decimals, a dash where there is none.
func digits(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.3f", v), "-0.000", "0.000", 1)
}

func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	if text := fmt.Sprintf("%+.3f", v); text[1:] != "0.000" {
		return text
	}
	return "0.000"
}

// cell is a mean with its error, where it has one.
func cell(mean, err float64) string {
	if math.IsNaN(err) {
		return digits(mean)
	}
	return digits(mean) + " ± " + digits(err)
}

// behind is a difference with the larger of its errors.
func behind(s metric.Stat) string {
	if math.IsNaN(s.Mean) {
		return "–"
	}
	return signed(s.Mean) + strings.TrimPrefix(cell(s.Mean, wider(s)), digits(s.Mean))
}

func bracket(err float64) string {
	if math.IsNaN(err) {
		return ""
	}
	return " (" + digits(err) + ")"
}
