package whatif_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// unanswered returns a game in both ways of evaluation, in which coalitions have no answer.
func unanswered(
	k int, answers func(members []int) bool, value func(members []int) float64,
) map[string]core.Evaluator {
	f := &coretest.Game{Name: "unanswered", Players: k, Value: func(members []int) float64 {
		if !answers(members) {
			return math.NaN()
		}
		return value(members)
	}}
	return map[string]core.Evaluator{"one by one": f, "together": sharedGame(f)}
}

// sum is the value of an additive game.
func sum(members []int) (of float64) {
	for _, i := range members {
		of += float64(i)
	}
	return of
}

// TestSetsPassOverUnanswered looks for the smallest set with a sum of 13 or more: {6, 7} has no
// answer, so that it takes three.
func TestSetsPassOverUnanswered(t *testing.T) {
	level := 13.0
	for name, ev := range unanswered(8, func(m []int) bool {
		return !slices.Equal(m, []int{6, 7}) && !slices.Equal(m, []int{2, 3})
	}, sum) {
		t.Run(name, func(t *testing.T) {
			g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
			s := must.Get(whatif.SetsQuestion{Level: &level}.Answer(t.Context(), g))(t)
			if len(s.Found) != 1 || len(s.Found[0].Instances) != 3 || !s.Found[0].Smallest ||
				!(s.Found[0].Values[0] >= level) {
				t.Errorf("%+v", s.Found)
			}
			// Neighbours, which are evaluated together, are evaluated more than once.
			if u := g.LeftOut(); u.Missing < 1 || name == "one by one" && u.Missing > 2 ||
				u.Of != g.Evaluations() {
				t.Errorf("the game says that %v", u)
			}
		})
	}
}

// TestCurvesBridgeUnanswered takes instances of equal worth, whose curves are straight lines.
func TestCurvesBridgeUnanswered(t *testing.T) {
	for name, ev := range unanswered(8, func(m []int) bool {
		return len(m) == 8 || len(m) != 5 && len(m) > 1
	}, func(m []int) float64 { return float64(len(m)) }) {
		t.Run(name, func(t *testing.T) {
			g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
			c := must.Get(whatif.CurvesQuestion{}.Answer(t.Context(), g))(t)
			for _, p := range c.Kept {
				coretest.Near(t, "kept", p.Best, float64(max(2, p.Instances)), 1e-9)
				coretest.Near(t, "kept at random", p.Random, float64(max(2, p.Instances)), 1e-9)
			}
			for _, p := range c.Removed {
				coretest.Near(t, "removed", p.Best, float64(max(2, 8-p.Instances)), 1e-9)
			}
		})
	}
}

// TestPairsLeaveOutUnanswered takes additive games, whose instances do not interact.
func TestPairsLeaveOutUnanswered(t *testing.T) {
	for _, k := range []int{6, 24} {
		for name, ev := range unanswered(k, func(m []int) bool {
			return len(m) < 2 || m[0] != 1 || m[1]%2 == 1
		}, sum) {
			t.Run(name, func(t *testing.T) {
				p := pairsOf(t, ev, whatif.PairsQuestion{Among: 4})
				for at, i := range p.Among {
					coretest.Near(t, "alone", p.Alone[at], float64(i), 1e-9)
				}
				for _, pair := range p.List {
					coretest.Near(t, "pair", pair.Value, 0, 1e-9)
				}
			})
		}
	}
	for name, ev := range unanswered(6, func(m []int) bool {
		return len(m) < 2 || len(m) == 6
	}, sum) {
		t.Run("none, "+name, func(t *testing.T) {
			g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
			_, err := whatif.PairsQuestion{}.Answer(t.Context(), g)
			var few *core.NonFiniteError
			if !errors.As(err, &few) || few.Unanswered.Missing != 56 || few.Unanswered.Of != 63 {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestTurnPassesOverUnanswered removes instances until the sum is below 10.
func TestTurnPassesOverUnanswered(t *testing.T) {
	level := 10.0
	for name, ev := range unanswered(6, func(m []int) bool {
		return !slices.Equal(m, []int{0, 1, 2, 3, 4}) // all but 5
	}, sum) {
		t.Run(name, func(t *testing.T) {
			g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
			a := must.Get(whatif.TurnQuestion{Level: &level,
				Moves: whatif.MovesRemove}.Answer(t.Context(), g))(t)
			if !a.Turned || a.Fewest == nil || len(a.Fewest.Instances) != 2 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// restricted is an evaluator of a model that takes few sizes of bags.
type restricted struct {
	core.Evaluator
	task core.Task
}

func (r restricted) Task() core.Task { return r.task }

// TestPairsOfRestrictedSizes checks that the error of pairs states the sizes that the model takes.
func TestPairsOfRestrictedSizes(t *testing.T) {
	f := &coretest.Game{Name: "sum", Players: 8, Value: sum}
	task := f.Task()
	for says, change := range map[string]func(t *core.Task){
		"exactly 8 instances":      func(t *core.Task) { t.Least, t.Why = 8, "positions" },
		"multiples of 4 instances": func(t *core.Task) { t.Least, t.Step, t.Why = 4, 4, "shape" },
		"at least 9 instances":     func(t *core.Task) { t.Least = 7 },
	} {
		changed := task
		change(&changed)
		g := must.Get(core.NewGame(restricted{f, changed}, core.GameOptions{}))(t)
		_, err := whatif.PairsQuestion{}.Answer(t.Context(), g)
		must.As(t, err, new(*core.UnavailableError), says)
	}
}
