package study

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// LaTeX writes the tables in the paper's layout, with the package booktabs. The best mean of each
// column among the methods is bold.
//
// If networks have several repeats, there is a column with the error over repeats. If there are
// items that any order solves, a second table holds the means without them.
func (r *Report) LaTeX(w io.Writer) error {
	p := &printer{}
	for _, t := range r.Tables() {
		title := texEscapes.Replace(t.Metric.Title + " on " + r.Set.Title)
		caption, heads := title+": "+errorCaption, []string{"Paper", "Difference"}
		repeated := slices.ContainsFunc(t.Rows,
			func(row Row) bool { return !math.IsNaN(row.Overall.RepeatSEM) })
		if repeated {
			caption += " Over repeats: the root mean square of their standard errors over repeats."
			heads = append([]string{"Over repeats"}, heads...)
		}
		p.latexTable(t, caption, heads, func(row Row) []string {
			cells := []string{mathNumber(digits(row.Overall.RepeatSEM)),
				mathNumber(digits(row.Paper)), mathNumber(signed(row.Difference()))}
			return cells[len(cells)-len(heads):]
		}, withTrivial)
		if t.Trivial {
			p.latexTable(t, title+", without the items that any order solves: "+errorCaption, nil,
				func(Row) []string { return nil }, withoutTrivial)
		}
	}
	return p.writeTo(w)
}

// errorCaption states which errors the tables show.
const errorCaption = `mean $\pm$ standard error over all bags and classes. ` +
	`Overall is the mean over networks, its error the root mean square of theirs.`

// A selector returns the mean and error that a table shows of a statistic.
type selector func(metric.Stat) (mean, err float64)

// withTrivial selects the mean over all items, withoutTrivial that over items that not every order
// solves.
func withTrivial(s metric.Stat) (mean, err float64)    { return s.Mean, s.SEM }
func withoutTrivial(s metric.Stat) (mean, err float64) { return s.NontrivialMean, s.NontrivialSEM }

// latexTable writes a line for each method: a cell for each network, one for the mean over
// networks, and those of more, whose headings are heads.
func (p *printer) latexTable(
	t Table, caption string, heads []string, more func(Row) []string, selected selector,
) {
	p.printf(`\begin{table}
\caption{%s}
\begin{tabular}{l%s}
\toprule
%s \\
\midrule
`, caption, strings.Repeat("r", len(t.Columns)+1+len(heads)),
		strings.Join(slices.Concat([]string{"Method"}, t.Columns, []string{"Overall"}, heads),
			" & "))
	best := t.best(selected)
	for _, row := range t.Rows {
		if row.Method == metric.RowRandom {
			p.printf("\\midrule\n")
		}
		cells := []string{texEscapes.Replace(row.Title)}
		for i, c := range row.all() {
			text := mathNumber(strings.Replace(cell(selected(c)), "±", `\pm`, 1))
			if best[i] == row.Method {
				text = `\boldmath{` + text + `}`
			}
			cells = append(cells, text)
		}
		p.printf("%s \\\\\n", strings.Join(append(cells, more(row)...), " & "))
	}
	p.printf("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

// best returns the method with the best mean of each column, and of the mean over networks in the
// last element. It is "" if no method has a value. The last element compares only methods with
// values under the most networks, because means over different networks are not comparable.
func (t *Table) best(selected selector) []string {
	names := make([]string, len(t.Columns)+1)
	means := make([]float64, len(names))
	// The greatest number of networks under which a method has values.
	most := 0
	for _, row := range t.Rows {
		most = max(most, row.networks())
	}
	for _, row := range t.Rows {
		if row.reference() {
			continue
		}
		for i, c := range row.all() {
			mean, _ := selected(c)
			if math.IsNaN(mean) || i == len(t.Columns) && row.networks() < most {
				continue
			}
			if names[i] == "" || mean > means[i] != t.Metric.Lower {
				names[i], means[i] = row.Method, mean
			}
		}
	}
	return names
}

// mathNumber sets a number in math mode, where the minus is longer. The dash of a missing number
// stays text.
func mathNumber(s string) string {
	if s == "–" {
		return "--"
	}
	return "$" + s + "$"
}

// texEscapes replaces the characters of titles that LaTeX treats as commands or cannot print.
var texEscapes = strings.NewReplacer("²", "$^2$", "%", `\%`, "_", `\_`)
