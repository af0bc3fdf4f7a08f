package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// LaTeX writes the tables as the paper lays them out, with the package booktabs: its columns, and
// where there are several repeats of each network a column with the error over them; then the means
// without the items that any order solves, where there are such. The best mean of each column among
// the methods is bold.
func (r *Report) LaTeX(w io.Writer) error {
	p := &printer{w: w}
	for _, t := range r.Tables() {
		title := escaped(t.Metric.Title) + " on " + escaped(r.Set.Title)
		heads, more := []string{"Paper", "Difference"}, func(row Row) []string {
			return []string{mathNumber(digits(row.Paper)), mathNumber(signed(row.Difference()))}
		}
		caption := title + ": " + errorCaption
		if t.repeated() {
			caption += " Over repeats: the root mean square of their standard errors over repeats."
			heads = append([]string{"Over repeats"}, heads...)
			paper := more
			more = func(row Row) []string {
				return append([]string{mathNumber(digits(row.Overall.RepeatSEM))}, paper(row)...)
			}
		}
		p.latexTable(t, caption, heads, more,
			func(s metric.Stat) (mean, err float64) { return s.Mean, s.SEM })
		if t.Trivial {
			p.latexTable(t, title+", without the items that any order solves: "+errorCaption, nil,
				func(Row) []string { return nil },
				func(s metric.Stat) (mean, err float64) {
					return s.NontrivialMean,
						s.NontrivialSEM
				})
		}
	}
	return p.err
}

// errorCaption says which errors are printed.
const errorCaption = `mean $\pm$ standard error over all bags and classes. Overall is the mean over networks, its error the root mean square of theirs.`

// repeated reports whether there is an error over the repeats of all networks.
func (t *Table) repeated() bool {
	return slices.ContainsFunc(t.Rows, func(row Row) bool {
		return !math.IsNaN(
			row.Overall.RepeatSEM)
	})
}

// latexTable writes a line for each method: a cell for each network and overall, and what more
// there is.
func (p *printer) latexTable(
	t Table, caption string, heads []string, more func(Row) []string, of func(metric.Stat) (mean,
		err float64),
) {
	p.line(`\begin{table}`)
	p.line(`\caption{%s}`, caption)
	p.line(`\begin{tabular}{l%s}`, strings.Repeat("r", len(t.Columns)+1+len(heads)))
	p.line(`\toprule`)
	p.line(`%s \\`, strings.Join(slices.Concat([]string{"Method"}, t.Columns, []string{"Overall"},
		heads), " & "))
	p.line(`\midrule`)
	best := t.best(func(s metric.Stat) float64 { mean, _ := of(s); return mean })
	for _, row := range t.Rows {
		if row.Method == metric.RowRandom {
			p.line(`\midrule`)
		}
		cells := []string{escaped(row.Title)}
		for i, c := range row.all() {
			mean, err := of(c)
			cells = append(cells, bold(mathNumber(strings.Replace(cell(mean, err), "±", `\pm`, 1)),
				best[i] == row.Method))
		}
		p.line(`%s \\`, strings.Join(append(cells, more(row)...), " & "))
	}
	p.line(`\bottomrule`)
	p.line(`\end{tabular}`)
	p.line(`\end{table}`)
}

// best returns the method with the best mean of each column and overall, "" where no method has
// one. Overall is the best of those with values under the most networks: means over different
// networks are of different things.
func (t *Table) best(of func(metric.Stat) float64) []string {
	names := make([]string, len(t.Columns)+1)
	means := make([]float64, len(names))
	most := 0
	for _, row := range t.Rows {
		most = max(most, row.networks())
	}
	for _, row := range t.Rows {
		if row.reference() {
			continue
		}
		for i, c := range row.all() {
			mean := of(c)
			if i == len(t.Columns) && row.networks() < most {
				continue
			}
			if better := mean > means[i] != t.Metric.Lower; !math.IsNaN(mean) &&
				(names[i] == "" || better) {
				names[i], means[i] = row.Method, mean
			}
		}
	}
	return names
}

func mathNumber(s string) string {
	if s == "–" {
		return "--"
	}
	return "$" + s + "$"
}

func bold(s string, best bool) string {
	if !best {
		return s
	}
	return fmt.Sprintf(`\boldmath{%s}`, s)
}

func escaped(s string) string {
	return strings.NewReplacer("²", "$^2$", "%", `\%`, "_", `\_`).Replace(s)
}
