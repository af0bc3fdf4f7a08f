package study

import (
	"io"
	"math"

	"github.com/bagscope/bagscope/core/metric"
)

// Summary writes what several studies found over all networks: a table for each metric, with a line
// for each data set, and below it the paper's line and the difference. A difference of more than
// two of our standard errors is bold.
func Summary(w io.Writer, reports []*Report) error {
	p := &printer{w: w}
	p.line("# All data sets")
	p.line("")
	p.line("Means over networks ± standard error, the larger of that over all bags and that over " +
		"repeats. Differences of more than two of these errors are bold.")
	within, compared := 0, 0
	for _, info := range metric.Metrics() {
		titles := false
		for _, r := range reports {
			for _, t := range r.Tables() {
				if t.Metric.Name != info.Name {
					continue
				}
				if !titles {
					titles = true
					p.heading(info)
				}
				near, all := p.lines(r, t)
				within, compared = within+near, compared+all
			}
		}
	}
	if compared > 0 {
		p.line("")
		p.line("Of %d means that the paper has too, %d are within two of our standard errors of "+
			"the paper's.", compared, within)
	}
	return p.err
}

// wider is the larger of the errors over bags and over repeats.
func wider(s metric.Stat) float64 {
	if math.IsNaN(s.RepeatSEM) {
		return s.SEM
	}
	return max(s.SEM, s.RepeatSEM)
}

// heading begins a table of all methods.
func (p *printer) heading(info metric.Info) {
	cells := []string{"Data set"}
	for _, m := range rowTitles() {
		cells = append(cells, m[1])
	}
	p.line("")
	p.line("## %s", info.Title)
	p.line("")
	p.header(cells)
}

// lines writes the line of a data set, and where the paper has it its own, and counts the
// differences.
func (p *printer) lines(r *Report, t Table) (within, compared int) {
	ours, paper, difference := []string{r.Set.Title}, []string{"the paper"}, []string{"difference"}
	for _, m := range rowTitles() {
		a, b, c := "–", "–", "–"
		for _, row := range t.Rows {
			if row.Method != m[0] {
				continue
			}
			err := wider(row.Overall)
			a, b, c = cell(row.Overall.Mean, err), digits(row.Paper), signed(row.Difference())
			if math.IsNaN(row.Paper) || math.IsNaN(row.Overall.Mean) {
				continue
			}
			compared++
			if math.Abs(row.Difference()) <= 2*err {
				within++
			} else {
				c = "**" + c + "**"
			}
		}
		ours, paper, difference = append(ours, a), append(paper, b), append(difference, c)
	}
	p.row(ours)
	if compared > 0 {
		p.row(paper)
		p.row(difference)
	}
	return within, compared
}
