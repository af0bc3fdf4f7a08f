package core_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

func named(t *testing.T, o methods.Options, names ...string) []core.Method {
	t.Helper()
	return must.Get(methods.New(names, o))(t)
}

// TestMethodsShareCoalitions checks that one request for all methods evaluates only the union of
// their coalitions, and gives each method the scores that it has alone.
func TestMethodsShareCoalitions(t *testing.T) {
	ctx := context.Background()
	all := core.Request{Methods: named(t, methods.Options{Samples: 60}, "all"), SkipMissing: true,
		GameOptions: core.GameOptions{Seed: 11}}
	report := must.Get(core.Explain(ctx, games.Logits(12), all))(t)
	must.Equal(t, len(report.Skipped), 1, report.Skipped)
	must.Equal(t, report.Skipped[0].Method, "inherent", report.Skipped)
	// Random SHAP and Random LIME share their draw; singles, removed ones and the full bag are
	// shared.
	if limit := 1 + 2*12 + 60 + 2*60 + 60 + (methods.Consensus{}).Evaluations(12,
		3); report.Evaluations > limit {
		t.Errorf("%d evaluations, want at most %d", report.Evaluations, limit)
	}
	for _, m := range all.Methods[1:] {
		alone := must.Get(core.Explain(ctx, games.Logits(12),
			core.Request{Methods: []core.Method{m}, GameOptions: core.GameOptions{Seed: 11}}))(t)
		for _, e := range alone.Explanations {
			for _, f := range report.Explanations {
				if f.Method == e.Method && f.Class == e.Class && fmt.Sprint(f) != fmt.Sprint(e) {
					t.Errorf("%s, class %d: alone %+v, with others %+v", e.Method, e.Class, e, f)
				}
			}
		}
	}
}

// TestGuidedIdentities checks identity 1 of METHODS: Guided SHAP with n = 2k is Combined and
// Guided LIME with n = k is One Removed, each up to a constant and a factor.
func TestGuidedIdentities(t *testing.T) {
	const k = 13
	ctx := context.Background()
	for _, c := range []struct{ guided, plain core.Method }{
		{methods.GuidedSHAP{Sampling: methods.Sampling{Samples: 2 * k}}, methods.Combined{}},
		{methods.GuidedLIME{Sampling: methods.Sampling{Samples: k}}, methods.OneRemoved{}},
	} {
		report := must.Get(core.Explain(ctx, games.Logits(k),
			core.Request{Methods: []core.Method{c.guided, c.plain}}))(t)
		for class := range 3 {
			a, b := report.Explanations[class].Scores, report.Explanations[3+class].Scores
			factor := (a[1] - a[0]) / (b[1] - b[0])
			if !(factor > 0) {
				t.Errorf("%s: factor %v", c.guided.Name(), factor)
			}
			for i := range a {
				coretest.Near(t, c.guided.Name(), a[i]-a[0], factor*(b[i]-b[0]), 1e-9)
			}
		}
	}
}

// instances is a mean-pooled mi-Net: class probabilities per instance, averaged.
type instances struct{ *games.Fake }

func newInstances(k int) *instances {
	p := func(i int) float64 { return float64((7*i)%k) / float64(k) }
	return &instances{
		&games.Fake{
			Shape: core.Task{
				Instances: k,
				Classes:   2,
				Scale:     core.ScaleProbabilities,
				Negative:  0,
				Least:     0,
			},
			Value: func(members []int) []float64 {
				sum := 0.0
				for _, i := range members {
					sum += p(i)
				}
				mean := sum / float64(len(members))
				return []float64{1 - mean, mean}
			},
		},
	}
}

func (m *instances) Attention(_ context.Context, class int) ([]float64, error) {
	z := core.NewCoalitions(m.Shape.Instances, m.Shape.Instances)
	for i := range m.Shape.Instances {
		z.AppendMembers(i)
	}
	values := make([]float64, 2*m.Shape.Instances)
	err := m.Evaluate(context.Background(), values, z)
	return linear.Column(values, 2, class), err
}

// TestInherentOfMeanPooling checks identity 3 of METHODS: in a mean-pooled mi-Net, Inherent and
// Single rank instances alike.
func TestInherentOfMeanPooling(t *testing.T) {
	report := must.Get(core.Explain(context.Background(), newInstances(9),
		core.Request{Methods: []core.Method{methods.Inherent{}, methods.Single{}}}))(t)
	for class := range 2 {
		if a, b := report.Explanations[class].Scores,
			report.Explanations[2+class].Scores; !reflect.DeepEqual(a, b) {
			t.Errorf("class %d: %v and %v", class, a, b)
		}
	}
}

// TestConstantModelGivesNoEvidence checks that no instance supports or refutes a class of a
// constant model. Under Shapley all share the difference from the value of the empty bag.
func TestConstantModelGivesNoEvidence(t *testing.T) {
	for _, scores := range [][]float64{{.25, .75}, {.5, .5}, {0, 1}} {
		for _, k := range []int{1, 2, 3, 30, 80} {
			constant := &games.Fake{
				Shape: core.Task{
					Instances: k,
					Classes:   2,
					Scale:     core.ScaleProbabilities,
					Negative:  0,
					Least:     0,
				},
				Value: func([]int) []float64 { return scores },
			}
			report := must.Get(core.Explain(context.Background(), constant,
				core.Request{Methods: named(t, methods.Options{}, "all"), SkipMissing: true}))(t)
			for _, e := range report.Explanations {
				for i, v := range e.Scores {
					coretest.Near(t, e.Method, v-e.Scores[0], 0, 1e-12)
					if k > 1 && e.Method != "single" && e.Method != "combined" &&
						e.Method != "shapley" {
						coretest.Near(t, e.Method, e.Scores[i], 0, 1e-12)
					}
				}
				if !math.IsNaN(e.R2) {
					coretest.Near(t, e.Method, e.R2, 1, 0)
				}
			}
		}
	}
}

func TestExplainRejectsNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		broken := &games.Fake{
			Shape: core.Task{
				Instances: 5,
				Classes:   1,
				Scale:     core.ScaleRaw,
				Negative:  -1,
				Least:     0,
			},
			Value: func(members []int) []float64 {
				if len(members) == 1 {
					return []float64{bad}
				}
				return []float64{1}
			},
		}
		report, err := core.Explain(context.Background(), broken,
			core.Request{Methods: []core.Method{methods.OneRemoved{}, methods.Single{}}})
		var nonFinite *core.NonFiniteError
		must.Equal(t, errors.As(err, &nonFinite), true, bad, err)
		must.Equal(t, nonFinite.Coalition, "10000", bad, err)
		must.Equal(t, report != nil, true, "the method that had finished is lost")
		must.Equal(t, len(report.Explanations), 1, "the method that had finished is lost")
	}
}

// TestProgress checks that progress never decreases, ends complete, and does not exceed its total.
func TestProgress(t *testing.T) {
	last, end := 0, 0
	_, err := core.Explain(context.Background(), games.Logits(20), core.Request{
		Methods: named(t, methods.Options{Samples: 300}, "single", "random_shap", "milli"),
		GameOptions: core.GameOptions{Progress: func(done, total int) {
			if done < last || done > total {
				t.Errorf("progress went from %d to %d of %d", last, done, total)
			}
			last, end = done, total
		}},
	})
	if err != nil || last == 0 || last != end {
		t.Errorf("progress ended at %d of %d: %v", last, end, err)
	}
}

// TestProgressCountsWhatFollows asks for 50 evaluations after the explanation: the total has them.
func TestProgressCountsWhatFollows(t *testing.T) {
	var totals []int
	for _, later := range []int{0, 50} {
		g := must.Get(core.NewGame(games.Logits(20), core.GameOptions{
			Progress: func(_, total int) {
				if len(totals) == 0 || total > totals[len(totals)-1] {
					totals = append(totals, total)
				}
			}}))(t)
		must.Get(g.Explain(t.Context(), core.Request{Methods: []core.Method{methods.Single{}},
			Later: later}))(t)
	}
	must.Equal(t, len(totals), 2, totals)
	must.Equal(t, totals[1], totals[0]+50, totals)
}

// TestReportEvaluationsIsSparse reports one evaluation at a time, which are told every 1024 of
// them.
func TestReportEvaluationsIsSparse(t *testing.T) {
	var told []int
	g := must.Get(core.NewGame(games.Logits(20), core.GameOptions{
		Progress: func(done, _ int) { told = append(told, done) }}))(t)
	for range 2100 {
		g.ReportEvaluations(1)
	}
	if len(told) != 2 || told[0] != 1024 || told[1] != 2048 {
		t.Errorf("progress at %v", told)
	}
}

// TestExplainReturnsFinishedExplanations checks that a request that ends early returns the
// finished explanations and evaluates no more coalitions.
func TestExplainReturnsFinishedExplanations(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	game := games.Logits(30)
	value := game.Value
	calls := 0
	game.Value = func(members []int) []float64 {
		if calls++; calls == 45 { // after the whole bag and Single, amid Random SHAP
			cancel()
		}
		return value(members)
	}
	report, err := core.Explain(
		ctx,
		noted{game},
		core.Request{Methods: []core.Method{methods.Single{}, methods.RandomSHAP{}},
			GameOptions: core.GameOptions{Workers: 1}},
	)
	must.Is(t, err, context.Canceled, "it ended with")
	must.Equal(t, calls, 45)
	must.Equal(t, len(report.Explanations), 3)
	must.Equal(t, reflect.DeepEqual(report.Notes, noted{}.Notes()), true, report.Notes)
}

// TestGameSurvivesFailure checks that a game still has its cached values after a failure.
func TestGameSurvivesFailure(t *testing.T) {
	g, err := core.NewGame(games.Logits(6), core.GameOptions{Budget: 8})
	must.Do(t, err)
	ctx := context.Background()
	want := must.Get(g.Singles(ctx))(t)
	z := sampling.AllProper(6)
	var budget *core.BudgetError
	if _, err = g.Values(ctx, z); !errors.As(err, &budget) || g.Evaluations() != 6 {
		t.Fatalf("%v, %d evaluations", err, g.Evaluations())
	}
	got, err := g.Singles(ctx)
	if err != nil || !reflect.DeepEqual(got, want) || g.Evaluations() != 6 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = g.Full(ctx); err != nil {
		t.Error(err)
	}
}

func TestOutputs(t *testing.T) {
	row := func(s core.Scale, o core.Output, v ...float64) []float64 {
		read, err := core.Read(nil, s, v, o)
		if err != nil {
			t.Errorf("%s as %s: %v", s, o, err)
		}
		return read.Values
	}
	for _, c := range []struct{ got, want []float64 }{
		{row(core.ScaleLogits, "", 0, math.Log(3)), []float64{.25, .75}},
		{row(core.ScaleLogits, "", math.Log(3)), []float64{.75}},
		{row(core.ScaleLogits, core.OutputLogit, 2, 3), []float64{2, 3}},
		{row(core.ScaleLogits, "", 1000, -1000), []float64{1, 0}},
		{row(core.ScaleSigmoidLogits, "", -math.Log(3), 0), []float64{.25, .5}},
		{row(core.ScaleProbabilities, "", .1, .3), []float64{.1, .3}},
		{row(core.ScaleLogProbabilities, "", math.Log(.1)), []float64{.1}},
		{row(core.ScaleRaw, "", 12), []float64{12}},
		{row(core.ScaleRaw, core.OutputLogit, 12), []float64{12}},
	} {
		for i := range c.want {
			coretest.Near(t, "output", c.got[i], c.want[i], 1e-12)
		}
	}
	must.Fail(t, must.Err(core.Read(nil, core.ScaleProbabilities, []float64{.5}, core.OutputLogit)))
}

// TestSettingErrors checks that the error for an invalid setting names it, before any evaluation.
func TestSettingErrors(t *testing.T) {
	three := core.NewCoalitions(3, 1)
	three.AppendMembers(1)
	empty := core.NewCoalitions(6, 1)
	empty.AppendMembers()
	for _, c := range []struct {
		name string
		o    methods.Options
		want string
	}{
		{"milli", methods.Options{Alpha: 1}, "alpha"}, {"milli", methods.Options{Alpha: -.5},
			"alpha"}, {"milli",
			methods.Options{Alpha: math.NaN()}, "alpha"},
		{"milli", methods.Options{Beta: math.Inf(1)}, "beta"}, {"milli",
			methods.Options{Rank: "best"}, "rank"},
		{"milli", methods.Options{Preset: "book"}, "preset"}, {"random_shap",
			methods.Options{Samples: -1},
			"samples"},
		{"random_shap", methods.Options{Efficiency: "one"}, "efficiency"}, {"guided_shap",
			methods.Options{Efficiency: methods.EmptyGame}, "efficiency"},
		{"random_lime", methods.Options{Distance: "l1"}, "distance"}, {"guided_lime",
			methods.Options{MeanBag: -3},
			"mean-bag"},
		{"random_lime", methods.Options{Coalitions: three}, "coalitions"}, {"guided_lime",
			methods.Options{Coalitions: empty}, "coalitions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := core.Explain(context.Background(), games.Logits(6),
				core.Request{Methods: named(t, c.o, c.name)})
			var setting *core.SettingError
			if !errors.As(err, &setting) || setting.Setting != c.want || setting.Method != c.name {
				t.Errorf("%s %+v: %v", c.name, c.o, err)
			}
		})
	}
	noNegative := games.Logits(6)
	noNegative.Shape.Negative = -1
	milli := methods.MILLI{Rank: methods.RankNegative}
	must.Fail(t, must.Err(core.Explain(context.Background(), noNegative,
		core.Request{Methods: []core.Method{milli}})))
	for _, req := range []core.Request{
		{},
		{Methods: []core.Method{methods.Single{}}, Classes: []int{}},
		{Methods: []core.Method{methods.Single{}}, Classes: []int{3}},
		{Methods: []core.Method{methods.Single{}}, Classes: []int{1, 1}},
		{Methods: []core.Method{methods.Single{}}, GameOptions: core.GameOptions{Output: "odds"}},
	} {
		must.Equal(t, must.Err(core.Explain(context.Background(), games.Logits(6), req)) != nil,
			true, req)
	}
}

func TestMethodTable(t *testing.T) {
	must.Fail(t, must.Err(methods.New([]string{"lime"}, methods.Options{})), "random_lime")
	m := named(t, methods.Options{}, "One-Removed", "all", "milli")
	must.Equal(t, len(m), len(methods.All()))
	must.Equal(t, m[0].Name(), "one_removed")
	for _, row := range methods.All() {
		must.Equal(t, row.New(methods.Options{}).Name(), row.Name)
	}
}

// TestMILLIRanking checks that ranking by the explained class draws coalitions for each class, and
// that presets select the ranking as METHODS states.
func TestMILLIRanking(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		m    methods.MILLI
		same bool // as ranking by the negative class
	}{
		{methods.MILLI{}, true}, {methods.MILLI{Rank: methods.RankNegative},
			true}, {methods.MILLI{Rank: methods.RankExplained}, false},
		{methods.MILLI{Sampling: methods.Sampling{Preset: methods.PresetPaper}}, false},
		{methods.MILLI{Sampling: methods.Sampling{Preset: methods.PresetPaper},
			Rank: methods.RankNegative}, true},
		{methods.MILLI{Sampling: methods.Sampling{Preset: methods.PresetReference}}, true},
	} {
		report := must.Get(core.Explain(ctx, games.Logits(25),
			core.Request{Methods: []core.Method{c.m}}))(t)
		limit := 25 + 200 + 1
		must.Equal(t, (report.Evaluations <= limit), c.same, c.m, report.Evaluations)
	}
}

// noted is an evaluator with a note.
type noted struct{ *games.Fake }

func (noted) Notes() []string { return []string{"every coalition takes a whole run"} }

func TestReportCarriesNotes(t *testing.T) {
	for _, c := range []struct {
		ev   core.Evaluator
		want []string
	}{{noted{games.Logits(4)}, []string{"every coalition takes a whole run"}}, {games.Logits(4),
		nil}} {
		methods := must.Get(methods.New([]string{"single"}, methods.Options{}))(t)
		report, err := core.Explain(context.Background(), c.ev, core.Request{Methods: methods})
		must.Do(t, err, report.Notes, c.want)
		must.Equal(t, reflect.DeepEqual(report.Notes, c.want), true, report.Notes, c.want)
	}
}

// TestExplainDoesNotAllocatePerCoalition checks that drawing, evaluating and fitting a coalition
// allocates no memory.
func TestExplainDoesNotAllocatePerCoalition(t *testing.T) {
	const k, few, many = 90, 500, 4500
	allocations := func(m core.Method) float64 {
		return testing.AllocsPerRun(3, func() {
			must.Get(core.Explain(context.Background(), games.Thrifty{Players: k},
				core.Request{Methods: []core.Method{m},
					GameOptions: core.GameOptions{Workers: 1}}))(t)
		})
	}
	for name, method := range map[string]func(n int) core.Method{
		"milli": func(n int) core.Method {
			return methods.MILLI{Sampling: methods.Sampling{Samples: n}, Alpha: .3,
				Rank: methods.RankExplained}
		},
		"random_shap": func(n int) core.Method {
			return methods.RandomSHAP{Sampling: methods.Sampling{Samples: n, Paired: true}}
		},
		"guided_lime": func(n int) core.Method {
			return methods.GuidedLIME{Sampling: methods.Sampling{Samples: n}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if more := allocations(method(many)) - allocations(method(few)); more > (many-few)/10 {
				t.Errorf("%s: %d coalitions more take %v allocations more", name, many-few, more)
			}
		})
	}
	if all, drawn := allocations(methods.Consensus{}), (methods.Consensus{}).Evaluations(k,
		1); all > float64(drawn)/2 {
		t.Errorf("consensus: %d coalitions take %v allocations", drawn, all)
	}
}
