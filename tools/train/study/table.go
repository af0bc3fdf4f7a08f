package study

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
)

// A Table is one metric of a study in the layout of the paper: a row for each method, a cell for
// each architecture, and the mean over architectures.
type Table struct {
	Metric  metric.Info
	Columns []string // titles of the architectures
	Rows    []Row
	// Trivial is true if there are items that any order solves. Means without them then differ.
	Trivial bool
}

// A Row is one method of a table.
type Row struct {
	Method  string // "milli"
	Title   string // "MILLI"
	Cells   []metric.Stat
	Overall metric.Stat
	Paper   float64 // the paper's value, or NaN
	// Behind is the difference to the method with the best overall mean, on the same bags and
	// classes. It is the mean over the networks that both have values of. The best method itself,
	// random order and true labels have no value.
	Behind metric.Stat
}

// Difference returns the overall mean minus the paper's value, or NaN if one of them is missing.
func (r Row) Difference() float64 { return r.Overall.Mean - r.Paper }

// networks returns the number of networks under which the method has values.
func (r Row) networks() (n int) {
	for _, c := range r.Cells {
		if !math.IsNaN(c.Mean) {
			n++
		}
	}
	return n
}

// all returns the cells, followed by the mean over networks.
func (r Row) all() []metric.Stat { return append(slices.Clip(r.Cells), r.Overall) }

// Tables returns a table for each metric that has a value for some bag. Methods have the order of
// methods.All, followed by random order and true labels.
func (r *Report) Tables() []Table {
	var tables []Table
	// The statistics of each column, by metric and method.
	stats := make([]map[[2]string]metric.Stat, len(r.Columns))
	for i := range r.Columns {
		stats[i] = map[[2]string]metric.Stat{}
		for _, line := range r.Columns[i].Results.Summaries() {
			for _, s := range line.Stats {
				stats[i][[2]string{s.Metric.Name, line.Method}] = s.Stat
			}
		}
	}
	for _, info := range metric.Metrics() {
		t := Table{Metric: info}
		for _, c := range r.Columns {
			t.Columns = append(t.Columns, c.Title)
		}
		for _, m := range rowTitles() {
			if row, ok := r.row(stats, info.Name, m); ok {
				t.Rows = append(t.Rows, row)
				t.Trivial = t.Trivial || row.Overall.NontrivialN < row.Overall.N
			}
		}
		if len(t.Rows) > 0 {
			r.compare(&t)
			tables = append(tables, t)
		}
	}
	return tables
}

// compare sets Behind of each row.
func (r *Report) compare(t *Table) {
	// The last element compares the means over networks.
	best := t.best(withTrivial)[len(t.Columns)]
	for i := range t.Rows {
		row := &t.Rows[i]
		pairs := make([]metric.Stat, len(r.Columns))
		for c := range pairs {
			pairs[c] = none()
			if row.Method != best && !row.reference() {
				pairs[c] = r.Columns[c].Results.Paired(t.Metric.Name, row.Method, best)
			}
		}
		row.Behind = overall(pairs)
	}
}

// reference reports whether a row is random order or true labels instead of a method.
func (r Row) reference() bool {
	return r.Method == metric.RowRandom || r.Method == metric.RowOracle
}

// rowTitles returns the name and the title of each possible row of a table.
func rowTitles() [][2]string {
	var out [][2]string
	for _, m := range methods.All() {
		out = append(out, [2]string{m.Name, m.Title})
	}
	return append(out, [2]string{metric.RowRandom, "Random order"},
		[2]string{metric.RowOracle, "True labels"})
}

// row returns one method's statistics, and whether any column has one.
func (r *Report) row(
	stats []map[[2]string]metric.Stat, name string, method [2]string,
) (row Row, any bool) {
	row = Row{Method: method[0], Title: method[1], Paper: math.NaN()}
	if v, ok := Paper(r.Set.Name, name, row.Method); ok {
		row.Paper = v
	}
	for _, column := range stats {
		stat, ok := column[[2]string{name, row.Method}]
		if !ok {
			stat = none()
		}
		any = any || ok
		row.Cells = append(row.Cells, stat)
	}
	row.Overall = overall(row.Cells)
	return row, any
}

// none returns a statistic without values.
func none() metric.Stat {
	nan := math.NaN()
	return metric.Stat{Mean: nan, SEM: nan, NontrivialMean: nan, NontrivialSEM: nan, RepeatSEM: nan}
}

// overall returns the mean over architectures that have a value. Its error is the root mean square
// of their errors, as in the paper's code; it is larger than the error of the mean. The error is
// NaN if a cell with a mean has the error NaN.
func overall(cells []metric.Stat) metric.Stat {
	var out metric.Stat
	pool := func(selected selector) (mean, err float64) {
		n := 0.0
		for _, c := range cells {
			if v, sem := selected(c); !math.IsNaN(v) {
				n++
				mean += v
				err += sem * sem
			}
		}
		return mean / n, math.Sqrt(err / n) // NaN if n is 0
	}
	out.Mean, out.SEM = pool(withTrivial)
	out.NontrivialMean, out.NontrivialSEM = pool(withoutTrivial)
	_, out.RepeatSEM = pool(func(s metric.Stat) (mean, err float64) { return s.Mean, s.RepeatSEM })
	for _, c := range cells {
		out.N += c.N
		out.NontrivialN += c.NontrivialN
		out.Repeats = max(out.Repeats, c.Repeats)
	}
	return out
}
