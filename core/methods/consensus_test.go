package methods

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/must"
)

// TestCovariances compares the estimator of very large bags with the enumeration.
func TestCovariances(t *testing.T) {
	f := games.Steep(10)
	g := games.New(t, f)
	exact := must.Get(enumerate(t.Context(), g, []int{1}))(t)
	order := []int{3, 1, 4, 0, 5, 9, 2, 6, 8, 7}
	d := sampling.Uniform(.4, order)
	want, _ := exact.estimate(t.Context(), "", d, 0)
	s := &separate{g, []int{1}}
	drawn := must.Get(sampling.Sampler{Instances: 10, Number: 6000, Repeats: true}.Draw(t.Context(),
		sampling.Bernoulli(d.ByRank, g.Rand("exam"))))(t)
	drawn.Coalitions = renamed(drawn.Coalitions, order)
	got := must.Get(s.covariances(t.Context(), drawn, d.Probabilities()))(t)
	for i, v := range got.phi[0] {
		e := math.Sqrt(got.squares[0][i])
		if off := math.Abs(v - want.phi[0][i]); off > 4*e || e > .1 {
			t.Errorf("instance %d scores %v ± %v, want %v", i, v, e, want.phi[0][i])
		}
	}
}

// TestConsensusRespectsLeastBag explains models that take no small bag, with all three estimators.
func TestConsensusRespectsLeastBag(t *testing.T) {
	for _, f := range []*games.Fake{games.AtLeast(games.Steep(4), 3), games.AtLeast(games.Steep(9),
		3), games.AtLeast(games.Steep(25), 5)} {
		for _, ev := range []core.Evaluator{f, &games.Sharing{Fake: f}} {
			report := must.Get(core.Explain(t.Context(), ev,
				core.Request{Methods: []core.Method{Consensus{}}}))(t)
			for _, e := range report.Explanations {
				for i, v := range e.Scores {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("instance %d scores %v", i, v)
					}
				}
			}
		}
	}
	f := games.AtLeast(games.Steep(5), 5)
	var missing *core.UnavailableError
	if _, err := core.Explain(t.Context(), f,
		core.Request{Methods: []core.Method{Consensus{}}}); !errors.As(
		err,
		&missing,
	) {
		t.Errorf("a bag of the least size ends with %v", err)
	}
	if testing.Short() {
		return // the rest takes half a minute under the race detector
	}
	// Beyond 16,384 instances none is scored in company, and removing ranks them.
	f = games.AtLeast(
		&games.Fake{
			Shape: core.Task{
				Instances: 1<<14 + 1,
				Classes:   1,
				Scale:     core.ScaleRaw,
				Negative:  -1,
				Least:     0,
			},
			Value: func(members []int) []float64 {
				return []float64{map[bool]float64{true: 1}[slices.Contains(members[:4], 3)]}
			},
		},
		4,
	)
	importance := must.Get(games.New(t, f).Importance(t.Context()))(t)
	if at := slices.Index(importance, slices.Max(importance)); at != 3 {
		t.Errorf("instance %d ranks first, want 3", at)
	}
}

// TestConsensusCountsEvaluations compares the number of evaluations in a report with those that
// the model did.
func TestConsensusCountsEvaluations(t *testing.T) {
	s := &games.Sharing{Fake: games.Steep(30)}
	last, total := 0, 0
	report, err := core.Explain(t.Context(), s, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{
			Workers: 1, Progress: func(done, all int) {
				if done < last || all < done {
					t.Errorf("progress goes from %d to %d of %d", last, done, all)
				}
				last, total = done, all
			}}})
	if err != nil {
		t.Fatal(err)
	}
	if last != total || last != report.Evaluations {
		t.Errorf("progress ends at %d of %d, and the report states %d", last, total,
			report.Evaluations)
	}
	// A context without two instances counts with all its neighbours, of which the model takes
	// fewer.
	if least, most := int(s.Scored.Load()), (Consensus{}).bound(30, 2,
		true); report.Evaluations < least || report.Evaluations > most+1 {
		t.Errorf("%d evaluations, want %d to %d", report.Evaluations, least, most)
	}
	var budget *core.BudgetError
	_, err = core.Explain(t.Context(), s, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{Budget: 3000}})
	if !errors.As(err, &budget) || budget.Used+budget.Needed <= 3000 {
		t.Errorf("a budget of 3000 ends with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := 0
	_, err = core.Explain(ctx, s, core.Request{Methods: []core.Method{Consensus{}},
		GameOptions: core.GameOptions{Progress: func(done, _ int) {
			if done > 1000 {
				cancel()
				stopped = done
			}
		}}})
	if !errors.Is(err, context.Canceled) || stopped > 3000 {
		t.Errorf("cancelled after 1000 evaluations, it ends after %d with %v", stopped, err)
	}
}

// TestConsensusRejectsNonFinite checks that the error names the neighbour whose value is not
// finite.
func TestConsensusRejectsNonFinite(t *testing.T) {
	f := &games.Fake{
		Shape: core.Task{Instances: 12, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0},
		Value: func(members []int) []float64 {
			if len(members) == 6 {
				return []float64{math.NaN()}
			}
			return []float64{float64(len(members))}
		},
	}
	var bad *core.NonFiniteError
	_, err := core.Explain(t.Context(), &games.Sharing{Fake: f},
		core.Request{Methods: []core.Method{Consensus{}}})
	if !errors.As(err, &bad) || strings.Count(bad.Coalition, "1") != 6 || len(bad.Coalition) != 12 {
		t.Errorf("%v", err)
	}
}

// TestConsensusPrecise checks the errors that Precise guarantees, and that it needs more
// evaluations than the default.
func TestConsensusPrecise(t *testing.T) {
	s := &games.Sharing{
		Fake: &games.Fake{
			Shape: core.Task{
				Instances: 14,
				Classes:   1,
				Scale:     core.ScaleRaw,
				Negative:  -1,
				Least:     0,
			},
			Value: func(members []int) []float64 {
				sum := 0.0 // sum over pairs, so that a marginal contribution depends on the context
				for _, i := range members {
					for _, j := range members {
						sum += math.Sin(float64(7*i*j + i + j))
					}
				}
				return []float64{sum}
			},
		},
	}
	report := must.Get(core.Explain(t.Context(), s,
		core.Request{Methods: []core.Method{Consensus{Precise: true}}}))(t)
	for _, e := range report.Explanations {
		largest := 0.0
		for _, v := range e.Scores {
			largest = max(largest, math.Abs(v))
		}
		if worst := slices.Max(e.StdErr); worst > .02*largest {
			t.Errorf("class %d: a standard error of %v beside a score of %v", e.Class, worst,
				largest)
		}
	}
	if most := (Consensus{}).bound(14, 1, true); report.Evaluations <= most {
		t.Errorf("%d evaluations, no more than the default's %d", report.Evaluations, most)
	}
}

// TestConsensusNotes checks that each class has a note on why no more contexts were drawn.
func TestConsensusNotes(t *testing.T) {
	tied := &games.Fake{
		Shape: core.Task{Instances: 20, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0},
		Value: func(members []int) []float64 {
			return []float64{math.Sqrt(float64(len(members)))}
		},
	}
	clear := &games.Fake{
		Shape: core.Task{Instances: 20, Classes: 1, Scale: core.ScaleRaw, Negative: -1, Least: 0},
		Value: func(members []int) []float64 {
			v := 0.0
			for _, i := range members {
				v += math.Exp2(-float64(i))
			}
			return []float64{v}
		},
	}
	for _, c := range []struct {
		ev   core.Evaluator
		note string
	}{
		{games.Logits(9), "all coalitions were evaluated"},
		{&games.Sharing{Fake: tied},
			"the five largest scores are not separated from the others after 128 contexts"},
		{&games.Sharing{Fake: clear},
			"the five largest scores are separated from the others after 64 contexts"},
		{games.Logits(20), "an additive surrogate of 800 coalitions for each curve"},
		{games.Logits(12), "scores are differences of log-odds"},
		{games.Logits(2100), "the scores leave small coalitions out"},
	} {
		report := must.Get(core.Explain(t.Context(), c.ev,
			core.Request{Methods: []core.Method{Consensus{}}}))(t)
		if got := strings.Join(report.Explanations[0].Notes, "; "); !strings.Contains(got, c.note) {
			t.Errorf("notes %q, want %q", got, c.note)
		}
	}
}
