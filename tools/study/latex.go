package study

import (
	"fmt"
	"io"
	"strings"

	"github.com/bagscope/bagscope/core/metric"
)

// LaTeX writes the tables as the paper lays them out, with the package booktabs. The best mean of each column among the
// methods is bold.
func (r *Report) LaTeX(w io.Writer) error {
	p := &printer{w: w}
	for _, t := range r.Tables() {
		p.line(`\begin{table}`)
		p.line(`\caption{%s on %s.}`, escaped(t.Metric.Title), escaped(r.Set.Title))
		p.line(`\begin{tabular}{l%s}`, strings.Repeat("r", len(t.Columns)+3))
		p.line(`\toprule`)
		p.line(`Method & %s & Overall & Paper & Difference \\`, escaped(strings.Join(t.Columns, " & ")))
		p.line(`\midrule`)
		best := t.best()
		for _, row := range t.Rows {
			if row.Method == metric.RowRandom {
				p.line(`\midrule`)
			}
			cells := []string{escaped(row.Title)}
			for i, c := range row.all() {
				cells = append(cells, bold(mathCell(c), best[i] == row.Method))
			}
			p.line(`%s & %s & %s \\`, strings.Join(cells, " & "), mathNumber(digits(row.Paper)), mathNumber(signed(row.Difference())))
		}
		p.line(`\bottomrule`)
		p.line(`\end{tabular}`)
		p.line(`\end{table}`)
	}
	return p.err
}

// best returns the method with the best mean of each column and overall.
func (t *Table) best() []string {
	names := make([]string, len(t.Columns)+1)
	means := make([]float64, len(names))
	for _, row := range t.Rows {
		if row.reference() {
			continue
		}
		for i, c := range row.all() {
			if better := c.Mean > means[i] != t.Metric.Lower; c.N > 0 && (names[i] == "" || better) {
				names[i], means[i] = row.Method, c.Mean
			}
		}
	}
	return names
}

func mathCell(s metric.Stat) string {
	return mathNumber(strings.Replace(cell(s.Mean, s.SEM), "±", `\pm`, 1))
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
