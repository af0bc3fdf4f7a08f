package study

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core/metric"
)

// TestBest wants a method that says nothing under a network to be best under the others at most,
// not overall.
func TestBest(t *testing.T) {
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
	if want := []string{"milli", "inherent", "single"}; !slices.Equal(got, want) {
		t.Errorf("the best are %v, want %v", got, want)
	}
}
