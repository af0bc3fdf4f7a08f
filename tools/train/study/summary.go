package study

import (
	"io"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/metric"
)

// Summary writes the means over networks of several studies. It writes a table for each metric,
// with a line for each data set. Below it follow the paper's line and the difference, in bold if it
// exceeds two of our standard errors.
func Summary(w io.Writer, reports []*Report) error {
	p := &printer{}
	p.printf("# All data sets\n\nMeans over networks ± standard error, the larger of that over " +
		"all bags and that over repeats. Differences of more than two of these errors are bold.\n")
	within, compared := 0, 0
	for _, info := range metric.Metrics() {
		headed := false
		for _, r := range reports {
			for _, t := range r.Tables() {
				if t.Metric.Name != info.Name {
					continue
				}
				if !headed {
					headed = true
					p.heading(info)
				}
				w, c := p.lines(r, t)
				within, compared = within+w, compared+c
			}
		}
	}
	if compared > 0 {
		p.printf("\nOf %d means that the paper has too, %d are within two of our standard errors "+
			"of the paper's.\n", compared, within)
	}
	return p.writeTo(w)
}

// wider returns the larger of the errors over bags and over repeats.
func wider(s metric.Stat) float64 {
	if math.IsNaN(s.RepeatSEM) {
		return s.SEM
	}
	return max(s.SEM, s.RepeatSEM)
}

// heading writes the heading of a metric's table, with a column for each method.
func (p *printer) heading(info metric.Info) {
	cells := []string{"Data set"}
	for _, m := range rowTitles() {
		cells = append(cells, m[1])
	}
	p.printf("\n## %s\n\n", info.Title)
	p.header(cells)
}

// lines writes the line of a data set, and the paper's line and the difference if the paper has
// values. It returns the number of compared means, and of those within two standard errors.
func (p *printer) lines(r *Report, t Table) (within, compared int) {
	ours, paper, difference := []string{r.Set.Title}, []string{"the paper"}, []string{"difference"}
	for _, m := range rowTitles() {
		i := slices.IndexFunc(t.Rows, func(row Row) bool { return row.Method == m[0] })
		if i < 0 {
			ours, paper, difference = append(ours, "–"), append(paper, "–"), append(difference, "–")
			continue
		}
		row := t.Rows[i]
		err, d := wider(row.Overall), row.Difference()
		text := signed(d)
		if !math.IsNaN(d) {
			compared++
			if math.Abs(d) <= 2*err {
				within++
			} else {
				text = "**" + text + "**"
			}
		}
		ours = append(ours, cell(row.Overall.Mean, err))
		paper = append(paper, digits(row.Paper))
		difference = append(difference, text)
	}
	p.row(ours)
	if compared > 0 {
		p.row(paper)
		p.row(difference)
	}
	return within, compared
}
