package study

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
)

// TestBestComparesMethodsUnderAllNetworks checks that a method without a value under one network
// can be the best under others, but not overall.
func TestBestComparesMethodsUnderAllNetworks(t *testing.T) {
	row := func(method string, means ...float64) Row {
		r := Row{Method: method}
		for _, m := range means {
			r.Cells = append(r.Cells, metric.Stat{Mean: m})
		}
		r.Overall = overall(r.Cells)
		return r
	}
	table := Table{Columns: []string{"MI-Net", "MI-Attn"},
		Rows: []Row{row("inherent", math.NaN(), .9), row("single", .3, .6), row("milli", .4, .4),
			row(metric.RowOracle, 1, 1)}}
	got := table.best(withTrivial)
	must.EqualSlices(t, got, []string{"milli", "inherent", "single"})
}
