package study

import (
	"testing"

	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/must"
)

// TestChosen chooses among rows whose best one is known: the highest, the first of equals, never a
// reference, and none without a value.
func TestChosen(t *testing.T) {
	row := func(method string, class int, ndcg float64, aopcr ...float64) metric.Row {
		r := metric.Row{Method: method, Class: class,
			Values: []metric.Value{{Metric: metric.NameNDCG, Score: ndcg}}}
		for _, v := range aopcr {
			r.Values = append(r.Values, metric.Value{Metric: metric.NameAOPCR, Score: v})
		}
		return r
	}
	rows := []metric.Row{
		row("a", 0, .9, -.3), row("b", 0, .1, -.2), row("c", 0, .2, -.2),
		row("a", 2, .5, .4), row("b", 2, .6, .3),
		row("a", 1, .5), row("b", 1, .7),
		row(metric.RowRandom, 0, .3, .9), row(metric.RowOracle, 2, 1, .8),
	}
	chosen, names := Chosen(rows, metric.NameAOPCR)
	must.EqualSlices(t, names, []string{"b", "a"}, "chosen are")
	for i, want := range []struct {
		class int
		ndcg  float64
	}{{0, .1}, {2, .5}} {
		got := chosen[i]
		if got.Method != RowChosen || got.Class != want.class || got.Values[0].Score != want.ndcg {
			t.Errorf("row %d is %+v, want class %d with NDCG@n %v", i, got, want.class, want.ndcg)
		}
	}
	must.Equal(t, rows[1].Method, "b", "the rows of the methods changed")
	if chosen, _ := Chosen(nil, metric.NameAOPCR); len(chosen) != 0 {
		t.Errorf("without rows, %v is chosen", chosen)
	}
}
