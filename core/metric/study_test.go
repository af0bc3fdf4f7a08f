package metric

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func values(scores ...float64) []Row {
	var rows []Row
	for i, s := range scores {
		rows = append(rows, Row{Method: "m", Class: i,
			Values: []Value{{Metric: NameNDCG, Score: s, Trivial: s == 1}}})
	}
	return rows
}

func TestStudy(t *testing.T) {
	var s Study
	s.Add(0, append(values(1, .5), Row{Method: RowRandom}))
	s.Add(0, append(values(.25), Row{Method: "later",
		Values: []Value{{Metric: NameSRG, Score: 3}}}))
	s.Add(7, values(1))
	lines := s.Summaries()
	if len(lines) != 3 || lines[0].Method != "m" || lines[1].Method != "later" ||
		lines[2].Method != RowRandom {
		t.Fatalf("lines %v, want those of m, later and random", lines)
	}
	got := lines[0].Stats[0]
	// 1, .5, .25, 1 vary by .4218750 around .6875; repeats have means 7/12 and 1.
	want := Stat{
		Mean: .6875, SEM: math.Sqrt(.421875 / 3 / 4), N: 4,
		NontrivialMean: .375, NontrivialSEM: .125, NontrivialN: 2,
		Repeats: 2, RepeatSEM: (1 - 7.0/12) / 2,
	}
	if got.N != want.N || got.NontrivialN != want.NontrivialN || got.Repeats != want.Repeats ||
		got.Metric.Key() != "ndcg" {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, p := range [][2]float64{
		{got.Mean, want.Mean}, {got.SEM, want.SEM}, {got.NontrivialMean, want.NontrivialMean},
		{got.NontrivialSEM, want.NontrivialSEM}, {got.RepeatSEM, want.RepeatSEM},
	} {
		must.Equal(t, math.Abs(p[0]-p[1]) <= exact, true, got.Stat, want)
	}
}

// TestPaired checks that values of one method alone do not count, and that the error of
// differences does not include the variation between bags.
func TestPaired(t *testing.T) {
	row := func(method string, class int, score float64, trivial bool) Row {
		return Row{Method: method, Class: class,
			Values: []Value{{Metric: NameNDCG, Score: score, Trivial: trivial}}}
	}
	var s Study
	s.Add(0, []Row{row("a", 0, .1, false), row("a", 1, .2, false), row("b", 0, .3, false),
		row("b", 1, .4, false)})
	s.Add(0, []Row{row("a", 0, .5, false)})
	s.Add(1, []Row{row("b", 0, .9, false)})
	s.Add(1, []Row{row("b", 1, 1, true), row("a", 1, 1, true)})
	got := s.Paired(NameNDCG, "a", "b")
	// -.2, -.2 and 0 vary by .08/3 around -.4/3; repeats have the means -.2 and 0.
	want := Stat{Mean: -.4 / 3, SEM: math.Sqrt(.08 / 3 / 2 / 3), N: 3, NontrivialMean: -.2,
		NontrivialN: 2, Repeats: 2, RepeatSEM: .1}
	if got.N != want.N || got.NontrivialN != want.NontrivialN || got.Repeats != want.Repeats {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, p := range [][2]float64{{got.Mean, want.Mean}, {got.SEM, want.SEM},
		{got.NontrivialMean, want.NontrivialMean}, {got.NontrivialSEM, 0}, {got.RepeatSEM,
			want.RepeatSEM}} {
		must.Equal(t, math.Abs(p[0]-p[1]) <= exact, true, got, want)
	}
	if none := s.Paired(NameNDCG, "a", "c"); none.N != 0 || !math.IsNaN(none.Mean) {
		t.Errorf("beside a method that is not there: %+v", none)
	}
}

func TestStudyOfOneTrivialValue(t *testing.T) {
	var s Study
	s.Add(0, values(1))
	got := s.Summaries()[0].Stats[0]
	if got.Mean != 1 || got.N != 1 || got.NontrivialN != 0 || got.Repeats != 1 {
		t.Errorf("%+v", got)
	}
	for name, v := range map[string]float64{"SEM": got.SEM, "nontrivial mean": got.NontrivialMean,
		"nontrivial SEM": got.NontrivialSEM, "SEM over repeats": got.RepeatSEM} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, math.IsNaN(v), true, name, v)
		})
	}
	must.Equal(t, len(new(Study).Summaries()), 0, "an empty study has lines")
}
