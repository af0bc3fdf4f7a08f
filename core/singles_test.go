package core_test

import (
	"context"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// byNumber scores single instances by index and counts them.
type byNumber struct {
	core.Evaluator
	evaluated *int
}

func (b byNumber) EvaluateInstances(
	ctx context.Context, dst []float64, removed bool, lo, hi int,
) error {
	*b.evaluated += hi - lo
	return b.Evaluate(ctx, dst, core.InstanceCoalitions(b.Task().Instances, removed, lo, hi))
}

// TestInstancesByIndex checks that evaluating instances by index or by mask gives the same values,
// evaluates none twice, and counts them alike.
func TestInstancesByIndex(t *testing.T) {
	for _, k := range []int{1, 2, 3, 5, 3000} {
		evaluated := 0
		plain := must.Get(core.NewGame(games.Logits(k), core.GameOptions{}))(t)
		fast := must.Get(core.NewGame(byNumber{games.Logits(k), &evaluated},
			core.GameOptions{Workers: 1}))(t)
		some := core.NewCoalitions(k, 2)
		if k > 2 { // cached values: they are not evaluated again
			some.AppendMembers(1)
			some.AppendWithout(k - 1)
		}
		for _, g := range []*core.Game{plain, fast} {
			must.Get(g.Values(t.Context(), some))(t)
		}
		for range 2 {
			for _, without := range []bool{false, true} {
				if without && k == 1 {
					continue
				}
				ask := (*core.Game).Singles
				if without {
					ask = (*core.Game).Removed
				}
				want := must.Get(ask(plain, t.Context()))(t)
				got := must.Get(ask(fast, t.Context()))(t)
				must.EqualSlices(t, got, want, k, without)
			}
		}
		must.Equal(t, fast.Evaluations(), plain.Evaluations(), k)
		if want := 2*k - 2; k > 2 && evaluated != want {
			t.Errorf("k=%d: evaluated %d instances by index, want %d", k, evaluated, want)
		}
	}
}

// TestInstancesByIndexRespectBudget checks that a budget below the number of instances is an error
// and does not change the game.
func TestInstancesByIndexRespectBudget(t *testing.T) {
	evaluated := 0
	g := must.Get(core.NewGame(byNumber{games.Logits(50), &evaluated},
		core.GameOptions{Budget: 20}))(t)
	if _, err := g.Singles(t.Context()); err == nil || evaluated != 0 || g.Evaluations() != 0 {
		t.Errorf("error %v after %d instances and %d evaluations", err, evaluated, g.Evaluations())
	}
}
