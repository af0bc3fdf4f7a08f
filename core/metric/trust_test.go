package metric

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

func trusted(
	t *testing.T, ev core.Evaluator, o core.GameOptions, methods ...core.Method,
) ([]Trust, *core.Report) {
	t.Helper()
	g := must.Get(core.NewGame(ev, o))(t)
	report := must.Get(g.Explain(t.Context(), core.Request{Methods: methods}))(t)
	trust := must.Get(MeasureTrust(t.Context(), g, methods, report))(t)
	return trust, report
}

func TestTrustOfExactMethods(t *testing.T) {
	// The order 3, 2, 1, 0 leaves 6, 3, 1: AOPC of class 0 is the mean of 4, 7, 9; on average over
	// all orders it is that of removing a half: 5.
	trust, _ := trusted(t, additive(1, 2, 3, 4), core.GameOptions{Seed: 5}, methods.OneRemoved{},
		methods.Single{})
	if len(trust) != 2 || trust[0].Method != "one_removed" || trust[1].Method != "single" {
		t.Fatalf("%+v", trust)
	}
	for _, x := range trust {
		must.Equal(t, len(x.AOPCR), 2, x.Method, x.AOPCR)
		must.Equal(t, x.AOPCR[0].Method, x.Method, x.AOPCR)
		must.Equal(t, x.AOPCR[1].Method != x.Method, true, x.Method, x.AOPCR)
		for n := range x.Classes {
			own := x.AOPCR[0].Values[n]
			// A sum is ranked best by either method. Ten random orders, whose AOPC has a deviation
			// of .96, lie around 5.
			if !(math.Abs(own-(20./3-5)) <= .9) || own != x.AOPCR[1].Values[n] || x.Beaten[n] < 8 {
				t.Errorf("%s, class %d: AOPC-R %v, the other's %v, %d beaten", x.Method, n, own,
					x.AOPCR[1].Values[n], x.Beaten[n])
			}
			if x.Correlation[n] != 1 {
				t.Errorf("%s does not sample, but two seeds correlate by %v", x.Method,
					x.Correlation[n])
			}
			if s := x.Sentences[n]; !strings.Contains(s, "lowers the score by") ||
				!strings.Contains(s, "; another seed gives the same order. ") {
				t.Errorf("%s: %s", x.Method, s)
			}
		}
		must.Equal(t, x.Cuts, 3)
	}
}

// TestTrustOfNoise checks the sentence for a method with meaningless scores.
func TestTrustOfNoise(t *testing.T) {
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = math.Sin(float64(i * i))
	}
	trust, _ := trusted(t, additive(weights...), core.GameOptions{Seed: 3}, dice{},
		methods.OneRemoved{})
	noise, good := trust[0], trust[1]
	for n := range noise.Classes {
		must.Equal(t, math.Abs(noise.Correlation[n]) <= .5, true)
		must.Contain(t, noise.Sentences[n], "random orders lower it at least as much; ",
			" gives a better order; another seed gives a different order (correlation ")
		must.Contain(t, good.Sentences[n], "more than a random order does (Single ",
			"more than each of 10 random orders; another seed")
		must.Equal(t, noise.Beaten[n] < 9, true, n, noise.Beaten[n], good.Beaten[n])
		must.Equal(t, good.Beaten[n], 10, n, noise.Beaten[n])
	}
}

// dice is a method whose scores are drawn at random.
type dice struct{}

func (dice) Name() string                { return "dice" }
func (dice) Settings(int) []core.Setting { return nil }
func (dice) Evaluations(_, _ int) int    { return 0 }
func (dice) Attribute(_ context.Context, g *core.Game, classes []int) (*core.Attribution, error) {
	a, rng := &core.Attribution{}, g.Rand("dice")
	for range classes {
		scores := make([]float64, g.Instances())
		for i := range scores {
			scores[i] = rng.Float64()
		}
		a.Scores = append(a.Scores, scores)
	}
	return a, nil
}

func TestTrustOfLargeBagsUsesFewerCuts(t *testing.T) {
	trust, _ := trusted(t, additive(make([]float64, 100)...), core.GameOptions{}, methods.Single{})
	must.Equal(t, trust[0].Cuts, 99)
	weights := make([]float64, 2000)
	for i := range weights {
		weights[i] = float64(i % 7)
	}
	g := play(t, additive(weights...))
	methods := []core.Method{methods.OneRemoved{}}
	report := must.Get(g.Explain(t.Context(), core.Request{Methods: methods}))(t)
	before := g.Evaluations()
	trust = must.Get(MeasureTrust(t.Context(), g, methods, report))(t)
	must.Equal(t, trust[0].Cuts, 32)
	must.Equal(t, trust[0].Beaten[0], TrustOrders)
	if spent, most := g.Evaluations()-before, TrustEvaluations(methods, 2000, 2); spent > most ||
		most > 50_000 {
		t.Errorf("%d evaluations, at most %d announced", spent, most)
	}
}

// TestTrustEvaluationsOfCurves compares announced evaluations: each further class adds a curve of
// each of four methods (dice and three references), with a point for each of five sizes, and a
// search.
func TestTrustEvaluationsOfCurves(t *testing.T) {
	of := func(classes int) int { return TrustEvaluations([]core.Method{dice{}}, 5, classes) }
	must.Equal(t, of(3)-of(1), 2*4*5+2*whatif.KeptEvaluations(5))
	// Without a class, only the random orders and the methods remain.
	others := 0
	for _, m := range trustReferences() {
		others += m.Evaluations(5, 0)
	}
	must.Equal(t, of(0), 5*TrustOrders+others)
}

// TestExplainWithTrust checks the report, the count and the progress of one call for both.
func TestExplainWithTrust(t *testing.T) {
	var last [2]int
	req := core.Request{Methods: []core.Method{methods.OneRemoved{}}, Classes: []int{1},
		GameOptions: core.GameOptions{
			Workers: 1, Progress: func(done, total int) {
				if done > total || done < last[0] || last[0] == last[1] && last[1] > 0 {
					t.Errorf("progress %d of %d after %v", done, total, last)
				}
				last = [2]int{done, total}
			},
		}}
	report, trust, err := withTrust(t.Context(), additive(5, 4, 3, 2, 1, 6, 7, 8), req)
	if err != nil || len(trust) != 1 || len(trust[0].Sentences) != 1 || len(report.Notes) != 1 {
		t.Fatalf("%+v, %+v, %v", report, trust, err)
	}
	must.Equal(t, last[0], last[1], last)
	must.Equal(t, last[0], report.Evaluations, last)
	// No classes mean all: equal evaluations are announced.
	var announced [2]int
	for n, classes := range [][]int{nil, {0, 1}} {
		req.Classes = classes
		req.Progress = func(_, total int) { announced[n] = max(announced[n], total) }
		must.Do(t, third(withTrust(t.Context(), additive(5, 4, 3, 2, 1, 6, 7, 8), req)))
	}
	must.Equal(t, announced[0], announced[1])
}

// withTrust is ExplainWithTrust in a new game of an evaluator.
func withTrust(
	ctx context.Context, ev core.Evaluator, req core.Request,
) (*core.Report, []Trust, error) {
	g, err := core.NewGame(ev, req.GameOptions)
	if err != nil {
		return nil, nil, err
	}
	return ExplainWithTrust(ctx, g, req)
}

func third[A, B any](_ A, _ B, err error) error { return err }

// TestTrustBeyondBudget checks that the explanation is returned if its trust cannot be measured.
func TestTrustBeyondBudget(t *testing.T) {
	req := core.Request{Methods: []core.Method{methods.OneRemoved{}},
		GameOptions: core.GameOptions{Budget: 9}}
	report, trust, err := withTrust(t.Context(), additive(5, 4, 3, 2, 1, 6, 7, 8), req)
	if err != nil || len(trust) != 0 || len(report.Explanations) != 2 {
		t.Fatalf("%+v, %+v, %v", report, trust, err)
	}
	must.Contain(t, strings.Join(report.Notes, "; "), "could not be measured: the budget of 9")
}

// TestTrustIsWholeOrMissing measures with every budget: the result is that without a budget, or it
// is missing and a note says so.
func TestTrustIsWholeOrMissing(t *testing.T) {
	of := func(budget int) (*core.Report, []Trust) {
		report, trust, err := withTrust(t.Context(), additive(5, 4, 3, 2, 1, 6, 7, 8),
			core.Request{Methods: []core.Method{methods.OneRemoved{}, dice{}},
				GameOptions: core.GameOptions{Budget: budget, Workers: 1}})
		must.Do(t, err)
		return report, trust
	}
	whole, want := of(0)
	for budget := 9; budget <= whole.Evaluations; budget++ {
		report, trust := of(budget)
		missing := strings.Contains(strings.Join(report.Notes, "; "), "could not be measured")
		if missing != (len(trust) == 0) || !missing && fmt.Sprint(trust) != fmt.Sprint(want) {
			t.Errorf("a budget of %d: %+v, want %+v; notes %q", budget, trust, want, report.Notes)
		}
		must.Equal(t, missing != (budget == whole.Evaluations), true, budget, whole.Evaluations,
			missing)
	}
}

func TestTrustOfBagsThatCannotShrink(t *testing.T) {
	trust, _ := trusted(t, additive(3), core.GameOptions{}, methods.Single{})
	if x := trust[0]; len(x.AOPCR) != 0 || !math.IsNaN(x.Correlation[0]) ||
		!strings.Contains(x.Sentences[0], "No instance of this bag can be removed") {
		t.Errorf("%+v", x)
	}
}

// TestTrustRespectsLeastBag checks that no bag below the model's least one is evaluated.
func TestTrustRespectsLeastBag(t *testing.T) {
	trust, _ := trusted(t, picky{additive(1, 2, 3, 4, 5, 6)}, core.GameOptions{},
		methods.OneRemoved{})
	must.Equal(t, trust[0].Cuts, 3)
}

// picky is a model that takes at least three instances.
type picky struct{ formula }

func (p picky) Task() core.Task {
	task := p.formula.Task()
	task.Least = 3
	return task
}

func (p picky) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		if z.Size(j) < 3 {
			return errors.New("a coalition is smaller than the model's least bag")
		}
	}
	return p.formula.Evaluate(ctx, dst, z)
}

func TestTrustStopsWithItsContext(t *testing.T) {
	g := play(t, additive(1, 2, 3, 4, 5))
	methods := []core.Method{methods.Single{}}
	report := must.Get(g.Explain(t.Context(), core.Request{Methods: methods}))(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	must.Is(t, must.Err(MeasureTrust(ctx, g, methods, report)), context.Canceled)
}

func TestTrustSkipsWhatTheReportSkips(t *testing.T) {
	g := play(t, additive(1, 2, 3))
	methods := []core.Method{methods.Inherent{}, methods.Single{}}
	report := must.Get(g.Explain(t.Context(), core.Request{Methods: methods, SkipMissing: true}))(t)
	if trust, err := MeasureTrust(t.Context(), g, methods, report); err != nil || len(trust) != 1 ||
		trust[0].Method != "single" {
		t.Errorf("%+v, %v", trust, err)
	}
	trust, err := MeasureTrust(t.Context(), g, methods[:1], report)
	must.Equal(t, len(trust), 0, trust)
	must.Do(t, err)
}

// TestCorrelationIgnoresScoresWithoutEvidence checks that scores that are not evidence do not
// count: only one of the scores is evidence under either seed.
func TestCorrelationIgnoresScoresWithoutEvidence(t *testing.T) {
	trust, report := trusted(t, additive(make([]float64, 30)...), core.GameOptions{}, shaky{})
	for n, e := range report.Explanations {
		must.Equal(t, e.Unclear(), 29, n, trust[0].Correlation[n])
		must.Equal(t, trust[0].Correlation[n], 1, n, e.Unclear())
	}
}

// shaky is a method with one clear score among noise of less than a standard error.
type shaky struct{ dice }

func (s shaky) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	a, err := s.dice.Attribute(ctx, g, classes)
	for n := range a.Scores {
		a.StdErr = append(a.StdErr, slices.Repeat([]float64{1}, g.Instances()))
		a.Scores[n][7] = 9
	}
	return a, err
}

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 90}, 1}, {[]float64{1, 2, 3}, []float64{3, 2, 1},
			-1},
		{[]float64{1, 1, 1}, []float64{2, 2, 2}, 1}, {[]float64{1, 1, 1}, []float64{1, 2, 3}, 0},
		// Computed by hand, with mean ranks for the tie: ranks 2.5 2.5 1 0 and 3 2 1 0.
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(4.5*5)},
	} {
		must.Equal(t, math.Abs(Spearman(c.a, c.b)-c.want) <= exact, true, c.a, c.b, c.want)
	}
	must.Equal(t, math.IsNaN(Spearman([]float64{1}, []float64{2})), true,
		"one score has a rank correlation")
}

// TestWithoutNoise checks which scores count as neutral: those that chance explains and those at
// rounding level, but not those of unknown error or trifles.
func TestWithoutNoise(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		errors  []float64
		evident []bool
		want    []float64
	}{
		"errors":         {[]float64{.1, .2, .1}, []bool{true, false, false}, []float64{1, 0, 0}},
		"unknown errors": {[]float64{inf, inf, inf}, make([]bool, 3), []float64{1, .1, 0}},
		"no errors":      {nil, []bool{true, false, false}, []float64{1, .1, 0}},
	} {
		e := core.Explanation{Scores: []float64{1, .1, 1e-9}, StdErr: c.errors, Evident: c.evident}
		must.EqualSlices(t, withoutNoise(e), c.want, name)
	}
}
