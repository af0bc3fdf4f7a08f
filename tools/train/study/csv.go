package study

import (
	"io"
	"math"
	"strconv"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/csvfile"
)

// An Entry is one cell of a table, for CSV and JSON.
type Entry struct {
	Dataset, Metric, Method, Model string // Model is "overall" for the mean over networks
	metric.Stat
	Paper  float64     // value of the paper, or NaN
	Behind metric.Stat // see Row; without values unless Model is "overall"
}

// Entries returns all cells that have a value, table by table.
func (r *Report) Entries() []Entry {
	var entries []Entry
	for _, t := range r.Tables() {
		for _, row := range t.Rows {
			for i, s := range row.Cells {
				if s.N > 0 {
					entries = append(entries,
						Entry{r.Set.Name, t.Metric.Name, row.Method, r.Columns[i].Name, s,
							math.NaN(), none()})
				}
			}
			entries = append(entries, Entry{r.Set.Name, t.Metric.Name, row.Method, "overall",
				row.Overall, row.Paper, row.Behind})
		}
	}
	return entries
}

// CSV writes a heading and a row for each entry, with all digits. Cells without a value are empty.
func (r *Report) CSV(w io.Writer) error {
	rows := [][]string{{"dataset", "metric", "method", "model", "mean", "sem", "n",
		"nontrivial_mean", "nontrivial_sem", "nontrivial_n", "repeats", "repeat_sem", "paper",
		"difference", "behind", "behind_sem", "behind_repeat_sem"}}
	for _, e := range r.Entries() {
		rows = append(rows, []string{
			e.Dataset, e.Metric, e.Method, e.Model, exact(e.Mean), exact(e.SEM), strconv.Itoa(e.N),
			exact(e.NontrivialMean), exact(e.NontrivialSEM), strconv.Itoa(e.NontrivialN),
			strconv.Itoa(e.Repeats), exact(e.RepeatSEM), exact(e.Paper), exact(e.Mean - e.Paper),
			exact(e.Behind.Mean), exact(e.Behind.SEM), exact(e.Behind.RepeatSEM),
		})
	}
	return csvfile.Write(w, rows)
}

// exact returns the shortest text that gives v again, or "" for NaN.
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
