package whatif_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// missedOf returns what a game loses without the instances with the largest of the given scores,
// all of which stand out unless they are neutral.
func missedOf(
	t *testing.T, g *core.Game, unit core.Unit, most int, scores ...float64,
) []whatif.Missed {
	t.Helper()
	e := &core.Explanation{Unit: unit, Scores: scores, Evident: make([]bool, len(scores))}
	for i, s := range scores {
		e.Evident[i] = s != 0
	}
	return must.Get(whatif.MissedQuestion{Explanation: e, Most: most}.Answer(t.Context(), g))(t)
}

// TestMissedOfKnownGame checks a game in which instance 0 has to be there, either of 1 and 2
// suffices beside it, and 3 does harm.
func TestMissedOfKnownGame(t *testing.T) {
	harmed := tree(4, func(has func(int) bool) bool { return has(0) && (has(1) || has(2)) })
	g := must.Get(core.NewGame(logits{harmed}, core.GameOptions{}))(t)
	got := missedOf(t, g, core.UnitLogit, 3, 5, 2, 1, .5)
	// The probability is 1 / (1 + exp(-3)) with the answer and 1 / (1 + exp(3)) without.
	fall := 1/(1+math.Exp(-3)) - 1/(1+math.Exp(3))
	for n, want := range []whatif.Missed{{Instance: 0, Score: 5, Loss: fall},
		{Instance: 1, Score: 2}, {Instance: 2, Score: 1}} {
		if n >= len(got) || !(math.Abs(got[n].Loss-want.Loss) <= 1e-12) ||
			got[n].Instance != want.Instance || got[n].Score != want.Score || got[n].Opposed {
			t.Errorf("%d: %+v, want %+v", n, got, want)
		}
	}
	must.Equal(t, len(got), 3)
	// In log-odds, -3 and 3 are as far apart as the bound of METHODS section 4 leaves them.
	odds := func(p float64) float64 { return math.Log((p + 1e-4) / (1 - p + 1e-4)) }
	want := odds(1/(1+math.Exp(-3))) - odds(1/(1+math.Exp(3)))
	got = missedOf(t, g, core.UnitLogOdds, 1, 5, 2, 1, .5)
	must.Equal(t, math.Abs(got[0].Loss-want) <= 1e-9, true, got[0].Loss, want)
}

// TestMissedOpposed checks that a loss whose sign is not that of the score is named, unless it is
// less than a twentieth of the score.
func TestMissedOpposed(t *testing.T) {
	g := must.Get(core.NewGame(logits{tree(2, func(has func(int) bool) bool { return !has(0) })},
		core.GameOptions{}))(t)
	for score, want := range map[float64]bool{1: true, 18: true, 19: false, -1: false} {
		must.Equal(t, missedOf(t, g, core.UnitLogit, 1, score, 0)[0].Opposed, want, score)
	}
}

// TestMissedIsOneRemoved checks that losses are the scores of the method that removes one instance.
func TestMissedIsOneRemoved(t *testing.T) {
	ev := coretest.NoisyOr(.1, .6, .3, .02, .9)
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	report := must.Get(g.Explain(t.Context(),
		core.Request{Methods: []core.Method{methods.OneRemoved{}}}))(t)
	e := report.Explanations[0]
	before := g.Evaluations()
	got := must.Get(whatif.MissedQuestion{Explanation: &e, Most: 5}.Answer(t.Context(), g))(t)
	must.Equal(t, len(got) != 0, true, len(got), g.Evaluations()-before)
	must.Equal(t, g.Evaluations(), before, len(got), g.Evaluations()-before)
	for _, m := range got {
		must.Equal(t, m.Loss, e.Scores[m.Instance], m)
		must.Equal(t, m.Score, e.Scores[m.Instance], m)
	}
	if !slices.IsSortedFunc(got, func(a, b whatif.Missed) int {
		return cmp.Compare(math.Abs(b.Score)-.001*math.Abs(got[0].Score), math.Abs(a.Score))
	}) {
		t.Errorf("%+v is not in descending order", got)
	}
}

// TestMissedWithoutAnswer checks bags of which nothing can be said.
func TestMissedWithoutAnswer(t *testing.T) {
	both := logits{tree(2, func(has func(int) bool) bool { return has(0) && has(1) })}
	for name, o := range map[string]core.GameOptions{"a spent budget": {Budget: 1}} {
		g := must.Get(core.NewGame(both, o))(t)
		must.Get(g.Full(t.Context()))(t)
		must.Equal(t, missedOf(t, g, core.UnitLogit, 2, 1, 2) == nil, true, name)
	}
	g := must.Get(core.NewGame(both, core.GameOptions{}))(t)
	must.Equal(t, missedOf(t, g, core.UnitLogit, 2, 0, 0) == nil, true)
}
