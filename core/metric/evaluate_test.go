package metric

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

func explanation(method string, class int, scores ...float64) core.Explanation {
	return core.Explanation{Method: method, Class: class, Scores: scores, R2: math.NaN()}
}

func evaluate(
	t *testing.T, ev core.Evaluator, bag *core.Bag, truth []core.Truth, o Options,
	e ...core.Explanation,
) []Row {
	t.Helper()
	return must.Get(Evaluate(t.Context(), play(t, ev), bag, truth, e, o))(t)
}

// find returns the row of a method and class and its metrics by name.
func find(t *testing.T, rows []Row, method string, class int) (Row, map[string]Value) {
	t.Helper()
	for _, r := range rows {
		if r.Method == method && r.Class == class {
			values := map[string]Value{}
			for _, v := range r.Values {
				values[v.Metric] = v
			}
			return r, values
		}
	}
	t.Fatalf("no row of %s for class %d", method, class)
	return Row{}, nil
}

var twoClasses = []core.Truth{{Support: []int{1}}, {Support: []int{0}}}

func TestEvaluate(t *testing.T) {
	bag := numbers(4, 1, 0, 1, -1)
	e := explanation("single", 0, 8, 1, 4, 2)
	e.R2 = .75
	rows := evaluate(t, additive(8, 1, 4, 2), bag, twoClasses, Options{}, e)
	must.Equal(t, len(rows), 3)
	row, got := find(t, rows, "single", 0)
	must.EqualSlices(t, row.MoRF, []float64{15, 7, 3, 1})
	must.EqualSlices(t, row.LeRF, []float64{15, 14, 12, 8})
	for name, want := range map[string]float64{
		NameNDCG: 1, NameAUPRC: 1, NameR2: .75, NameSRG: (7.0 + 9 + 7) / 3,
		NameDeletion: (8.0 + 7 + 3) / 3, NameInsertion: (11.5 + 12 + 14) / 3,
	} {
		t.Run(name, func(t *testing.T) {
			if v, ok := got[name]; !ok || !(math.Abs(v.Score-want) <= exact) || v.Trivial {
				t.Errorf("%s: %+v, want %v", name, v, want)
			}
		})
	}
	must.Equal(t, got[NameAOPCR].Score > 0, true, got[NameAOPCR], got[NameMilletAOPCR])
	must.Equal(t, got[NameMilletAOPCR].Score > 0, true, got[NameAOPCR], got[NameMilletAOPCR])
	order := []string{}
	for _, v := range row.Values {
		order = append(order, v.Metric)
	}
	table := []string{}
	for _, m := range Metrics() {
		table = append(table, m.Name)
	}
	must.EqualSlices(t, order, table)
	if _, oracle := find(t, rows, RowOracle, 0); oracle[NameNDCG].Score != 1 ||
		oracle[NameAUPRC].Score != 1 {
		t.Errorf("the oracle scores %v", oracle)
	}
	if _, random := find(t, rows, RowRandom, 0); len(random) != len(got)-1 {
		t.Errorf("the random row has %v", random) // all but R²
	}
}

func TestEvaluateOmitsUndefinedMetrics(t *testing.T) {
	all := func(k int) []float64 { return make([]float64, k) }
	for _, c := range []struct {
		name  string
		bag   *core.Bag
		truth []core.Truth
		class int
		want  []string
		rows  int
	}{
		{"no labels", numbers(3), twoClasses, 0,
			[]string{NameAOPCR, NameSRG, NameInsertion, NameDeletion, NameMilletAOPCR}, 2},
		{"no truth", numbers(3, 1, 1, 0), nil, 1,
			[]string{NameAOPCR, NameSRG, NameInsertion, NameDeletion}, 2},
		{"all unlabelled", numbers(3, -1, -1, -1), twoClasses, 1,
			[]string{NameAOPCR, NameSRG, NameInsertion, NameDeletion}, 2},
		{"nothing supports", numbers(3, 1, 1, 1), twoClasses, 1,
			[]string{NameAOPCR, NameSRG, NameInsertion, NameDeletion}, 3},
		{"one instance", numbers(1, 0), twoClasses, 1, []string{NameNDCG, NameAUPRC}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := c.bag.Len()
			weights := all(k)
			for i := range weights {
				weights[i] = 1
			}
			rows := evaluate(t, additive(weights...), c.bag, c.truth, Options{},
				explanation("m", c.class, all(k)...))
			row, _ := find(t, rows, "m", c.class)
			var got []string
			for _, v := range row.Values {
				got = append(got, v.Metric)
			}
			must.EqualSlices(t, got, c.want)
			must.Equal(t, len(rows), c.rows)
		})
	}
}

func TestEvaluateMarksTrivial(t *testing.T) {
	rows := evaluate(t, additive(1, 2, 3), numbers(3, 1, 1, -1), twoClasses, Options{},
		explanation("m", 0, 3, 2, 1))
	_, got := find(t, rows, "m", 0)
	for name, v := range got {
		must.Equal(t, v.Trivial, (name == NameNDCG || name == NameAUPRC), name)
	}
}

func TestEvaluateComputesOnlyRequestedMetrics(t *testing.T) {
	for _, c := range []struct {
		metrics []string
		want    int
	}{
		{[]string{NameNDCG, NameAUPRC, NameR2}, 0},
		{[]string{NameDeletion}, 4},
		{[]string{NameSRG}, 7}, // the full bag, and three bags from either end
		{[]string{}, 0},
	} {
		g := play(t, additive(1, 2, 3, 4))
		// Both classes are ranked alike, and the oracle as well.
		e := []core.Explanation{explanation("m", 0, 4, 3, 2, 1), explanation("m", 1, 4, 3, 2, 1)}
		before := g.Evaluations()
		must.Get(Evaluate(t.Context(), g, numbers(4), nil, e, Options{Metrics: c.metrics}))(t)
		spent := g.Evaluations() - before
		// What is left is the random rows'.
		must.Equal(t, spent >= c.want, true, c.metrics, spent, c.want)
		must.Equal(t, spent <= 3*c.want, true, c.metrics, spent, c.want)
		again, err := Evaluate(t.Context(), g, numbers(4), nil, e, Options{Metrics: c.metrics})
		must.Do(t, err)
		must.Equal(t, len(again), 4, again)
		must.Equal(t, g.Evaluations()-before, spent, c.metrics)
	}
}

func TestEvaluateIsSeeded(t *testing.T) {
	bag := numbers(12)
	e := explanation("m", 0, make([]float64, 12)...)
	run := func(seed uint64, bag *core.Bag, e ...core.Explanation) []Row {
		return evaluate(t, highest(1, 5, 3, 9, 2, 7, 4, 8, 6, 0, 11, 10), bag, nil,
			Options{Seed: seed}, e...)
	}
	must.Equal(t, reflect.DeepEqual(run(1, bag, e), run(1, bag, e)), true,
		"equal seeds give different rows")
	must.Equal(t, reflect.DeepEqual(run(1, bag, e), run(2, bag, e)), false,
		"different seeds break ties and draw orders alike")
	other := numbers(12)
	other.Values[3] = 77
	must.Equal(t, reflect.DeepEqual(run(1, bag, e), run(1, other, e)), false,
		"two bags share their random orders")
	// Random orders are shared by all methods: another method beside it changes no value.
	first, _ := find(t, run(1, bag, e), "m", 0)
	beside, _ := find(t, run(1, bag, explanation("n", 0, bagScores(12)...), e), "m", 0)
	must.Equal(t, reflect.DeepEqual(first, beside), true,
		"a method is judged differently beside another")
}

func bagScores(k int) []float64 {
	out := make([]float64, k)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

func TestPresetDividesByK(t *testing.T) {
	o := Options{Metrics: []string{"aopc_r"}}
	e := explanation("m", 0, bagScores(5)...)
	_, paper := find(t, evaluate(t, highest(1, 2, 3, 4, 5), numbers(5), nil, o, e), "m", 0)
	o.Preset = methods.PresetReference
	_, reference := find(t, evaluate(t, highest(1, 2, 3, 4, 5), numbers(5), nil, o, e), "m", 0)
	if got, want := reference[NameAOPCR].Score,
		paper[NameAOPCR].Score*4/5; !(math.Abs(got-want) <= exact) {
		t.Errorf("%v, want four fifths of %v", got, paper[NameAOPCR].Score)
	}
}

// TestRandomRowAveragesZero checks that the AOPC-R of random rows averages 0 over seeds.
func TestRandomRowAveragesZero(t *testing.T) {
	var study Study
	for seed := range uint64(400) {
		rows := evaluate(t, highest(0, 0, 1, 0, 0, 3, 0, 2), numbers(8), nil,
			Options{Seed: seed, Metrics: []string{NameAOPCR, NameSRG}}, explanation("m", 0,
				bagScores(8)...))
		study.Add(0, rows)
	}
	for _, line := range study.Summaries() {
		for _, s := range line.Stats {
			if line.Method == RowRandom && !(math.Abs(s.Mean) <= 4*s.SEM) {
				t.Errorf("%s of random rankings is %v ± %v", s.Metric.Name, s.Mean, s.SEM)
			}
		}
	}
}

func TestEvaluateErrors(t *testing.T) {
	good := explanation("m", 0, 1, 2, 3)
	for _, c := range []struct {
		name string
		bag  *core.Bag
		e    core.Explanation
		o    Options
		want any
	}{
		{"an unknown metric", numbers(3), good, Options{Metrics: []string{"accuracy"}},
			new(*core.SettingError)},
		{"a bag of another size", numbers(4), good, Options{}, new(*core.BagError)},
		{"labels of another size", numbers(3, 1), good, Options{}, new(*core.BagError)},
		{"too few scores", numbers(3), explanation("m", 0, 1), Options{}, new(*ScoresError)},
		{"a class that is not there", numbers(3), explanation("m", 2, 1, 2, 3), Options{},
			new(*ScoresError)},
		{"NaN", numbers(3), explanation("m", 0, 1, math.NaN(), 3), Options{}, new(*ScoresError)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Evaluate(t.Context(), play(t, additive(1, 2, 3)), c.bag, nil,
				[]core.Explanation{c.e}, c.o)
			if err == nil || !errors.As(err, c.want) {
				t.Errorf("%v, want a %T", err, c.want)
			}
		})
	}
}

func TestEvaluateRespectsBudget(t *testing.T) {
	g, err := core.NewGame(additive(1, 2, 3, 4), core.GameOptions{Budget: 3})
	must.Do(t, err)
	_, err = Evaluate(t.Context(), g, numbers(4), nil,
		[]core.Explanation{explanation("m", 0, 1, 2, 3, 4)}, Options{})
	var budget *core.BudgetError
	must.As(t, err, &budget)
}
