package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// Markdown writes the conditions of the study, a table for each metric, and notes on missing
// values.
func (r *Report) Markdown(w io.Writer) error {
	p := &printer{}
	p.printf("# %s\n\n%s\n", r.Set.Title, r.conditions())
	for _, t := range r.Tables() {
		p.printf("\n## %s\n\n", t.Metric.Title)
		p.table(t, []string{"Paper", "Difference", "Behind the best"}, func(row Row) []string {
			return []string{digits(row.Paper), signed(row.Difference()), behind(row.Behind)}
		}, func(s metric.Stat) string { return cell(s.Mean, s.SEM) + bracket(s.RepeatSEM) })
		if t.Trivial {
			p.printf("\nWithout the items that any order solves:\n\n")
			p.table(t, nil, func(Row) []string { return nil },
				func(s metric.Stat) string { return cell(withoutTrivial(s)) })
		}
	}
	for _, note := range r.notes() {
		p.printf("\n%s\n", note)
	}
	return p.writeTo(w)
}

// table writes a line for each method: a cell for each network, one for the mean over networks, and
// those of last, whose headings are more.
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

// conditions states networks, repeats, settings and the meaning of the numbers.
func (r *Report) conditions() string {
	var networks []string
	for _, c := range r.Columns {
		noun := "repeats"
		if len(c.Repeats) == 1 {
			noun = "repeat"
		}
		networks = append(networks,
			fmt.Sprintf("%s: %s %s (bags: %d)", c.Title, noun, numbers(c.Repeats), c.Bags))
	}
	terms := r.Terms
	if terms != "" {
		terms += "; "
	}
	return fmt.Sprintf("%s. %sseed %d. Mean ± standard error over all bags and classes, in "+
		"brackets the standard error over repeats. Overall is the mean over networks, its error "+
		"the root mean square of theirs. Behind the best is the mean difference to the best "+
		"method on the same bags and classes, ± the larger of its two errors.",
		strings.Join(networks, "; "), terms, r.Seed)
}

// notes returns sentences about bags and methods without values.
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

// numbers returns ascending repeats as "0 to 9" if they have no gap, and else as "0, 2, 5".
func numbers(repeats []int) string {
	last := repeats[len(repeats)-1]
	if n := len(repeats); n > 2 && last-repeats[0] == n-1 {
		return fmt.Sprintf("%d to %d", repeats[0], last)
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(repeats), "[]"), " ", ", ")
}

// A printer collects the text of a report.
type printer struct{ text strings.Builder }

// printf appends text.
func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.text, format, args...) }

// row appends a line of a Markdown table.
func (p *printer) row(cells []string) { p.printf("| %s |\n", strings.Join(cells, " | ")) }

// writeTo writes the text. It is the only place at which writing can fail.
func (p *printer) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.text.String())
	return err
}

// header writes the names of columns. The first column is aligned to the left; the others hold
// numbers and are aligned to the right.
func (p *printer) header(names []string) {
	p.row(names)
	p.row(append([]string{":--"}, slices.Repeat([]string{"--:"}, len(names)-1)...))
}

// digits returns a number with three decimals, or a dash for NaN.
func digits(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.3f", v), "-0.000", "0.000", 1)
}

// signed returns digits with a plus for positive numbers.
func signed(v float64) string {
	text := digits(v)
	if v > 0 && text != "0.000" {
		return "+" + text
	}
	return text
}

// cell returns a mean with its error. It omits an error that is NaN.
func cell(mean, err float64) string {
	if math.IsNaN(err) {
		return digits(mean)
	}
	return digits(mean) + " ± " + digits(err)
}

// behind returns a difference with the larger of its errors.
func behind(s metric.Stat) string {
	if math.IsNaN(s.Mean) {
		return "–"
	}
	return signed(s.Mean) + strings.TrimPrefix(cell(s.Mean, wider(s)), digits(s.Mean))
}

// bracket returns an error in brackets, or "" for NaN.
func bracket(err float64) string {
	if math.IsNaN(err) {
		return ""
	}
	return " (" + digits(err) + ")"
}
