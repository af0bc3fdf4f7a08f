package study

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// A Table is one metric of a study, laid out as the paper's: a row for each method, a cell for each
// architecture, and the mean over architectures.
type Table struct {
	Metric  metric.Info
	Columns []string // titles of the architectures
	Rows    []Row
	// there are items that any order solves, so that the cells' means without them differ
	Trivial bool
}

// A Row is one method of a table.
type Row struct {
	Method  string // "milli"
	Title   string // "MILLI"
	Cells   []metric.Stat
	Overall metric.Stat
	Paper   float64 // NaN where the paper has no value
	// Behind is by how much the row exceeds the method with the best overall mean on the same bags
	// and classes, the mean over the networks that both have values of; without values for that
	// method itself, and for random order and true labels.
	Behind metric.Stat
}

// Difference is how much the overall mean exceeds the paper's, NaN where the paper has none.
func (r Row) Difference() float64 { return r.Overall.Mean - r.Paper }

// networks is the number of those that the method has values under.
func (r Row) networks() (n int) {
	for _, c := range r.Cells {
		if !math.IsNaN(c.Mean) {
			n++
		}
	}
	return n
}

// all returns the cells and the overall one.
func (r Row) all() []metric.Stat { return append(slices.Clip(r.Cells), r.Overall) }

// Tables returns a table for each metric of which any bag has a value. Methods come in the order of
// the table of methods, random and oracle last.
func (r *Report) Tables() []Table {
	var tables []Table
	lines := make([][]metric.Summary, len(r.Columns))
	for i := range r.Columns {
		lines[i] = r.Columns[i].Results.Summaries()
	}
	for _, info := range metric.Metrics() {
		t := Table{Metric: info}
		for _, c := range r.Columns {
			t.Columns = append(t.Columns, c.Title)
		}
		for _, m := range rowTitles() {
			if row, ok := r.row(lines, info.Name, m); ok {
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

// compare fills in how far each row is from the best.
func (r *Report) compare(t *Table) {
	best := t.best(func(s metric.Stat) float64 { return s.Mean })[len(t.Columns)]
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

// reference reports whether a row is no method's.
func (r Row) reference() bool {
	return r.Method == metric.RowRandom ||
		r.Method == metric.RowOracle
}

// rowTitles returns the name and title of every row that a table can have.
func rowTitles() [][2]string {
	var out [][2]string
	for _, m := range core.Methods() {
		out = append(out, [2]string{m.Name, m.Title})
	}
	return append(out, [2]string{metric.RowRandom, "Random order"},
		[2]string{metric.RowOracle, "True labels"})
}

// row gathers one method's statistics, and reports whether there is any.
func (r *Report) row(lines [][]metric.Summary, name string, method [2]string) (Row, bool) {
	row := Row{Method: method[0], Title: method[1], Paper: math.NaN()}
	if v, ok := Paper(r.Set.Name, name, row.Method); ok {
		row.Paper = v
	}
	any := false
	for _, column := range lines {
		stat, ok := find(column, name, row.Method)
		any = any || ok
		row.Cells = append(row.Cells, stat)
	}
	row.Overall = overall(row.Cells)
	return row, any
}

// find returns the statistic of a method and a metric.
func find(lines []metric.Summary, name, method string) (metric.Stat, bool) {
	for _, line := range lines {
		if line.Method != method {
			continue
		}
		for _, stat := range line.Stats {
			if stat.Metric.Name == name {
				return stat.Stat, true
			}
		}
	}
	return none(), false
}

// none is the statistic of no values.
func none() metric.Stat {
	nan := math.NaN()
	return metric.Stat{Mean: nan, SEM: nan, NontrivialMean: nan, NontrivialSEM: nan, RepeatSEM: nan}
}

// overall is the mean over architectures that have a value. Its error is the root of the mean of
// their squared errors, as the paper's code has it: the error of one of them, larger than that of
// their mean. It is NaN when that of a cell with a mean is.
func overall(cells []metric.Stat) metric.Stat {
	var out metric.Stat
	pool := func(value, sem func(metric.Stat) float64) (mean, err float64) {
		n := 0.0
		for _, c := range cells {
			if v := value(c); !math.IsNaN(v) {
				n++
				mean += v
				err += sem(c) * sem(c)
			}
		}
		return mean / n, math.Sqrt(err / n) // 0/0 is NaN
	}
	out.Mean, out.SEM = pool(func(s metric.Stat) float64 { return s.Mean },
		func(s metric.Stat) float64 { return s.SEM })
	out.NontrivialMean, out.NontrivialSEM = pool(
		func(s metric.Stat) float64 { return s.NontrivialMean },
		func(s metric.Stat) float64 { return s.NontrivialSEM })
	_, out.RepeatSEM = pool(func(s metric.Stat) float64 { return s.Mean },
		func(s metric.Stat) float64 { return s.RepeatSEM })
	for _, c := range cells {
		out.N += c.N
		out.NontrivialN += c.NontrivialN
		out.Repeats = max(out.Repeats, c.Repeats)
	}
	return out
}
