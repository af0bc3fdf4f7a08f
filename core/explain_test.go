package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// fake is an evaluator made of a function of the members of a coalition.
type fake struct {
	task  Task
	value func(members []int) []float64
}

func (f *fake) Task() Task { return f.task }

func (f *fake) Evaluate(ctx context.Context, dst []float64, z *Coalitions) error {
	for j := range z.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(dst[j*f.task.Classes:], f.value(z.Members(nil, j)))
	}
	return nil
}

// logits is a game of three classes on logits whose first class is the negative one.
func logits(k int) *fake {
	return &fake{Task{k, 3, ScaleLogits, 0, 0}, func(members []int) []float64 {
		a, b := 0.0, 0.0
		for _, i := range members {
			a += float64(i%3) / 2
			b += float64(i%5) / 4
		}
		n := float64(len(members))
		return []float64{1, a / n, b / n}
	}}
}

func methods(t *testing.T, o Options, names ...string) []Method {
	t.Helper()
	m, err := NewMethods(names, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMethodsShareCoalitions checks that one request for all methods evaluates only the union of
// their coalitions, and gives each method the scores that it has alone.
func TestMethodsShareCoalitions(t *testing.T) {
	ctx := context.Background()
	all := Request{Methods: methods(t, Options{Samples: 60}, "all"), SkipMissing: true,
		GameOptions: GameOptions{Seed: 11}}
	report, err := Explain(ctx, logits(12), all)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped) != 1 || report.Skipped[0].Method != "inherent" {
		t.Errorf("skipped: %v", report.Skipped)
	}
	// Random SHAP and Random LIME share their draw; singles, removed ones and the full bag are
	// shared.
	if limit := 1 + 2*12 + 60 + 2*60 + 60 + (Consensus{}).Evaluations(12,
		3); report.Evaluations > limit {
		t.Errorf("%d evaluations, want at most %d", report.Evaluations, limit)
	}
	for _, m := range all.Methods[1:] {
		alone, err := Explain(ctx, logits(12),
			Request{Methods: []Method{m}, GameOptions: GameOptions{Seed: 11}})
		if err != nil {
			t.Fatal(err)
		}
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
	for _, c := range []struct{ guided, plain Method }{
		{GuidedSHAP{Sampling: Sampling{Samples: 2 * k}}, Combined{}},
		{GuidedLIME{Sampling: Sampling{Samples: k}}, OneRemoved{}},
	} {
		report, err := Explain(ctx, logits(k), Request{Methods: []Method{c.guided, c.plain}})
		if err != nil {
			t.Fatal(err)
		}
		for class := range 3 {
			a, b := report.Explanations[class].Scores, report.Explanations[3+class].Scores
			factor := (a[1] - a[0]) / (b[1] - b[0])
			if !(factor > 0) {
				t.Errorf("%s: factor %v", c.guided.Name(), factor)
			}
			for i := range a {
				near(t, c.guided.Name(), a[i]-a[0], factor*(b[i]-b[0]), 1e-9)
			}
		}
	}
}

// instances is a mean-pooled mi-Net: class probabilities per instance, averaged.
type instances struct{ *fake }

func newInstances(k int) *instances {
	p := func(i int) float64 { return float64((7*i)%k) / float64(k) }
	return &instances{&fake{Task{k, 2, ScaleProbabilities, 0, 0}, func(members []int) []float64 {
		sum := 0.0
		for _, i := range members {
			sum += p(i)
		}
		mean := sum / float64(len(members))
		return []float64{1 - mean, mean}
	}}}
}

func (m *instances) Attention(_ context.Context, class int) ([]float64, error) {
	z := NewCoalitions(m.task.Instances, m.task.Instances)
	for i := range m.task.Instances {
		z.AppendMembers(i)
	}
	values := make([]float64, 2*m.task.Instances)
	err := m.Evaluate(context.Background(), values, z)
	return Column(values, 2, class), err
}

// TestInherentOfMeanPooling checks identity 3 of METHODS: in a mean-pooled mi-Net, Inherent and
// Single rank instances alike.
func TestInherentOfMeanPooling(t *testing.T) {
	report, err := Explain(context.Background(), newInstances(9),
		Request{Methods: []Method{Inherent{}, Single{}}})
	if err != nil {
		t.Fatal(err)
	}
	for class := range 2 {
		if a, b := report.Explanations[class].Scores,
			report.Explanations[2+class].Scores; !reflect.DeepEqual(a, b) {
			t.Errorf("class %d: %v and %v", class, a, b)
		}
	}
}

// TestConstantModelGivesNoEvidence checks that no instance supports or refutes a class of a
// constant model.
func TestConstantModelGivesNoEvidence(t *testing.T) {
	for _, scores := range [][]float64{{.25, .75}, {.5, .5}, {0, 1}} {
		for _, k := range []int{1, 2, 3, 30, 80} {
			constant := &fake{Task{k, 2, ScaleProbabilities, 0, 0},
				func([]int) []float64 { return scores }}
			report, err := Explain(context.Background(), constant,
				Request{Methods: methods(t, Options{}, "all"), SkipMissing: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range report.Explanations {
				for i, v := range e.Scores {
					near(t, e.Method, v-e.Scores[0], 0, 1e-12)
					if k > 1 && e.Method != "single" && e.Method != "combined" {
						near(t, e.Method, e.Scores[i], 0, 1e-12)
					}
				}
				if !math.IsNaN(e.R2) {
					near(t, e.Method, e.R2, 1, 0)
				}
			}
		}
	}
}

func TestExplainRejectsNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		broken := &fake{Task{5, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
			if len(members) == 1 && members[0] == 3 {
				return []float64{bad}
			}
			return []float64{1}
		}}
		report, err := Explain(context.Background(), broken,
			Request{Methods: []Method{OneRemoved{}, Single{}}})
		var nonFinite *NonFiniteError
		if !errors.As(err, &nonFinite) || nonFinite.Coalition != "00010" {
			t.Errorf("a model that gives %v: %v", bad, err)
		}
		if report == nil || len(report.Explanations) != 1 {
			t.Error("the method that had finished is lost")
		}
	}
}

// TestProgress checks that progress never decreases, ends complete, and does not exceed its total.
func TestProgress(t *testing.T) {
	last, end := 0, 0
	_, err := Explain(context.Background(), logits(20), Request{
		Methods: methods(t, Options{Samples: 300}, "single", "random_shap", "milli"),
		GameOptions: GameOptions{Progress: func(done, total int) {
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

// TestExplainReturnsFinishedExplanations checks that a request that ends early returns the
// ReportEvaluations explanations and evaluates no more coalitions.
func TestExplainReturnsFinishedExplanations(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	game := logits(30)
	value := game.value
	calls := 0
	game.value = func(members []int) []float64 {
		if calls++; calls == 45 { // after the whole bag and Single, amid Random SHAP
			cancel()
		}
		return value(members)
	}
	report, err := Explain(ctx, noted{game}, Request{Methods: []Method{Single{}, RandomSHAP{}},
		GameOptions: GameOptions{Workers: 1}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("it ended with %v", err)
	}
	if calls != 45 {
		t.Errorf("the model evaluated %d times, the last time after the end", calls)
	}
	if len(report.Explanations) != 3 {
		t.Errorf("%d explanations are returned, want 3", len(report.Explanations))
	}
	if !reflect.DeepEqual(report.Notes, noted{}.Notes()) {
		t.Errorf("notes %q", report.Notes)
	}
}

// TestGameSurvivesFailure checks that a game still has its cached values after a failure.
func TestGameSurvivesFailure(t *testing.T) {
	g, err := NewGame(logits(6), GameOptions{Budget: 8})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	want, err := g.Singles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	z := allProper(6)
	var budget *BudgetError
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
	row := func(s Scale, o Output, v ...float64) []float64 {
		read, err := Read(nil, s, v, o)
		if err != nil {
			t.Errorf("%s as %s: %v", s, o, err)
		}
		return read.Values
	}
	for _, c := range []struct{ got, want []float64 }{
		{row(ScaleLogits, "", 0, math.Log(3)), []float64{.25, .75}},
		{row(ScaleLogits, "", math.Log(3)), []float64{.75}},
		{row(ScaleLogits, OutputLogit, 2, 3), []float64{2, 3}},
		{row(ScaleLogits, "", 1000, -1000), []float64{1, 0}},
		{row(ScaleSigmoidLogits, "", -math.Log(3), 0), []float64{.25, .5}},
		{row(ScaleProbabilities, "", .1, .3), []float64{.1, .3}},
		{row(ScaleLogProbabilities, "", math.Log(.1)), []float64{.1}},
		{row(ScaleRaw, "", 12), []float64{12}},
		{row(ScaleRaw, OutputLogit, 12), []float64{12}},
	} {
		for i := range c.want {
			near(t, "output", c.got[i], c.want[i], 1e-12)
		}
	}
	if _, err := Read(nil, ScaleProbabilities, []float64{.5}, OutputLogit); err == nil {
		t.Error("logits of a model that ends in probabilities were made up")
	}
}

// TestSettingErrors checks that the error for an invalid setting names it, before any evaluation.
func TestSettingErrors(t *testing.T) {
	three := NewCoalitions(3, 1)
	three.AppendMembers(1)
	empty := NewCoalitions(6, 1)
	empty.AppendMembers()
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"milli", Options{Alpha: 1}, "alpha"}, {"milli", Options{Alpha: -.5}, "alpha"}, {"milli",
			Options{Alpha: math.NaN()}, "alpha"},
		{"milli", Options{Beta: math.Inf(1)}, "beta"}, {"milli", Options{Rank: "best"}, "rank"},
		{"milli", Options{Preset: "book"}, "preset"}, {"random_shap", Options{Samples: -1},
			"samples"},
		{"random_shap", Options{Efficiency: "one"}, "efficiency"}, {"guided_shap",
			Options{Efficiency: EmptyGame}, "efficiency"},
		{"random_lime", Options{Distance: "l1"}, "distance"}, {"guided_lime", Options{MeanBag: -3},
			"mean-bag"},
		{"random_lime", Options{Coalitions: three}, "coalitions"}, {"guided_lime",
			Options{Coalitions: empty}, "coalitions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Explain(context.Background(), logits(6),
				Request{Methods: methods(t, c.o, c.name)})
			var setting *SettingError
			if !errors.As(err, &setting) || setting.Setting != c.want || setting.Method != c.name {
				t.Errorf("%s %+v: %v", c.name, c.o, err)
			}
		})
	}
	noNegative := logits(6)
	noNegative.task.Negative = -1
	if _, err := Explain(context.Background(), noNegative,
		Request{Methods: []Method{MILLI{Rank: RankNegative}}}); err == nil {
		t.Error("MILLI ranked by a negative class that does not exist")
	}
	for _, req := range []Request{
		{},
		{Methods: []Method{Single{}}, Classes: []int{}},
		{Methods: []Method{Single{}}, Classes: []int{3}},
		{Methods: []Method{Single{}}, Classes: []int{1, 1}},
		{Methods: []Method{Single{}}, GameOptions: GameOptions{Output: "odds"}},
	} {
		if _, err := Explain(context.Background(), logits(6), req); err == nil {
			t.Errorf("request %+v was answered", req)
		}
	}
}

func TestMethodTable(t *testing.T) {
	if _, err := NewMethods([]string{"lime"}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "random_lime") {
		t.Errorf("an unknown method: %v", err)
	}
	m := methods(t, Options{}, "One-Removed", "all", "milli")
	if len(m) != len(Methods()) || m[0].Name() != "one_removed" {
		t.Errorf("%d methods, the first is %s", len(m), m[0].Name())
	}
	for _, row := range Methods() {
		if row.New(Options{}).Name() != row.Name {
			t.Errorf("row %s makes %s", row.Name, row.New(Options{}).Name())
		}
	}
}

// TestMILLIRanking checks that ranking by the explained class draws coalitions for each class, and
// that presets select the ranking as METHODS states.
func TestMILLIRanking(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		m    MILLI
		same bool // as ranking by the negative class
	}{
		{MILLI{}, true}, {MILLI{Rank: RankNegative}, true}, {MILLI{Rank: RankExplained}, false},
		{MILLI{Sampling: Sampling{Preset: PresetPaper}}, false},
		{MILLI{Sampling: Sampling{Preset: PresetPaper}, Rank: RankNegative}, true},
		{MILLI{Sampling: Sampling{Preset: PresetReference}}, true},
	} {
		report, err := Explain(ctx, logits(25), Request{Methods: []Method{c.m}})
		if err != nil {
			t.Fatal(err)
		}
		limit := 25 + 200 + 1
		if same := report.Evaluations <= limit; same != c.same {
			t.Errorf("%+v spends %d evaluations", c.m, report.Evaluations)
		}
	}
}

// noted is an evaluator with a note.
type noted struct{ *fake }

func (noted) Notes() []string { return []string{"every coalition takes a whole run"} }

func TestReportCarriesNotes(t *testing.T) {
	for _, c := range []struct {
		ev   Evaluator
		want []string
	}{{noted{logits(4)}, []string{"every coalition takes a whole run"}}, {logits(4), nil}} {
		methods, err := NewMethods([]string{"single"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Explain(context.Background(), c.ev, Request{Methods: methods})
		if err != nil || !reflect.DeepEqual(report.Notes, c.want) {
			t.Errorf("notes %q (%v), want %q", report.Notes, err, c.want)
		}
	}
}

// A thrifty game has one class and allocates no memory.
type thrifty struct{ k int }

func (g thrifty) Task() Task { return Task{g.k, 1, ScaleRaw, -1, 0} }

func (thrifty) Evaluate(_ context.Context, dst []float64, z *Coalitions) error {
	for j := range dst {
		dst[j] = 1 / float64(z.Size(j)+z.first(j, 0))
	}
	return nil
}

// TestExplainDoesNotAllocatePerCoalition checks that drawing, evaluating and fitting a coalition
// allocates no memory.
func TestExplainDoesNotAllocatePerCoalition(t *testing.T) {
	const k, few, many = 90, 500, 4500
	allocations := func(m Method) float64 {
		return testing.AllocsPerRun(3, func() {
			if _, err := Explain(context.Background(), thrifty{k},
				Request{Methods: []Method{m}, GameOptions: GameOptions{Workers: 1}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	for name, method := range map[string]func(n int) Method{
		"milli": func(n int) Method {
			return MILLI{Sampling: Sampling{Samples: n}, Alpha: .3,
				Rank: RankExplained}
		},
		"random_shap": func(n int) Method {
			return RandomSHAP{Sampling: Sampling{Samples: n,
				Paired: true}}
		},
		"guided_lime": func(n int) Method { return GuidedLIME{Sampling: Sampling{Samples: n}} },
	} {
		t.Run(name, func(t *testing.T) {
			if more := allocations(method(many)) - allocations(method(few)); more > (many-few)/10 {
				t.Errorf("%s: %d coalitions more take %v allocations more", name, many-few, more)
			}
		})
	}
	if all, drawn := allocations(Consensus{}), (Consensus{}).Evaluations(k,
		1); all > float64(drawn)/2 {
		t.Errorf("consensus: %d coalitions take %v allocations", drawn, all)
	}
}
