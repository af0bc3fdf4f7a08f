package whatif_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// turnOf returns the answer to a question about a game, which must not fail.
func turnOf(t *testing.T, ev core.Evaluator, q whatif.TurnQuestion) *whatif.Turn {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{Seed: 4}))(t)
	return must.Get(q.Answer(context.Background(), g))(t)
}

// TestTurnOfKnownGames checks games where the fewest changes are known.
func TestTurnOfKnownGames(t *testing.T) {
	pair := tree(9, func(has func(int) bool) bool { return has(1) && has(8) && !has(3) })
	for _, c := range []struct {
		name  string
		game  *coretest.Game
		q     whatif.TurnQuestion
		want  []int // nil if the answer cannot be turned
		above bool
	}{
		{"remove one key", coretest.Unanimity(6, 4), whatif.TurnQuestion{}, []int{4}, false},
		{"add the missing keys", coretest.Unanimity(8, 1, 6, 7),
			whatif.TurnQuestion{Bag: []int{0, 1, 2}, Moves: whatif.MovesAdd}, []int{6, 7}, true},
		{"add and remove", pair, whatif.TurnQuestion{Bag: []int{1, 2, 3}, Moves: whatif.MovesBoth},
			[]int{3, 8}, true},
		{"removing does not help", pair, whatif.TurnQuestion{Bag: []int{1, 2, 3}}, nil, true},
		{"at most one", pair, whatif.TurnQuestion{Bag: []int{1, 2, 3}, Moves: whatif.MovesBoth,
			Most: 1}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.Level = &half
			for _, ev := range []core.Evaluator{c.game, sharedGame(c.game)} {
				got := turnOf(t, ev, c.q)
				must.Equal(t, got.Above, c.above)
				if c.want == nil {
					must.Equal(t, got.Fewest == nil, true, got.Fewest)
					must.Equal(t, got.Turned, false, got.Fewest)
					continue
				}
				must.Equal(t, got.Fewest != nil, true, got.Fewest, c.want)
				must.EqualSlices(t, got.Fewest.Instances, c.want, got.Fewest)
				must.Equal(t, got.Fewest.Smallest, true, got.Fewest, c.want)
				must.Equal(t, (got.Fewest.Values[0] >= half), c.above, "the value after it is")
			}
		})
	}
}

// TestTurnSteps checks that each step is the change with the largest effect, against single
// evaluations of all changes, and that the values are those of the changed bag.
func TestTurnSteps(t *testing.T) {
	const k = 14
	game := attending(k, rand.New(rand.NewPCG(3, 1)))
	bag := []int{0, 1, 2, 3, 4, 5, 6}
	start := game.Value(bag)
	level := start + .4
	turn := turnOf(t, coretest.Neighbours{Evaluator: game}, whatif.TurnQuestion{
		Level: &level, Bag: bag, Moves: whatif.MovesBoth})
	coretest.Near(t, "from", turn.From[0], start, coretest.Exact)
	must.Equal(t, turn.Turned, true, turn)
	must.Equal(t, len(turn.Steps) != 0, true, turn)
	for n, step := range turn.Steps {
		best, value := -1, 0.0
		for i := range k {
			if slices.ContainsFunc(turn.Steps[:n], func(s whatif.TurnStep) bool {
				return s.Instance == i
			}) {
				continue
			}
			after := toggled(bag, i)
			if v := game.Value(after); len(after) > 0 && (best < 0 || v > value) {
				best, value = i, v
			}
		}
		if step.Instance != best || step.Added == slices.Contains(bag, best) {
			t.Errorf("step %d changes %d (added %t), want %d", n, step.Instance, step.Added, best)
		}
		coretest.Near(t, "value", step.Values[0], value, coretest.Close)
		bag = toggled(bag, best)
	}
}

// toggled returns the members with an instance added, or removed if it is one.
func toggled(members []int, i int) []int {
	if slices.Contains(members, i) {
		return slices.DeleteFunc(slices.Clone(members), func(j int) bool { return i == j })
	}
	return append(slices.Clone(members), i)
}

// TestTurnQuestions checks the errors of wrong questions.
func TestTurnQuestions(t *testing.T) {
	for _, c := range []struct {
		name, setting string
		q             whatif.TurnQuestion
	}{
		{"class", "class", whatif.TurnQuestion{Class: 9}},
		{"outside", "bag", whatif.TurnQuestion{Bag: []int{5}}},
		{"twice", "bag", whatif.TurnQuestion{Bag: []int{1, 1}}},
		{"empty", "bag", whatif.TurnQuestion{Bag: []int{}}},
		{"moves", "moves", whatif.TurnQuestion{Moves: "swap"}},
		{"nothing to add", "moves", whatif.TurnQuestion{Moves: whatif.MovesAdd}},
		{"most", "most", whatif.TurnQuestion{Most: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := core.NewGame(coretest.Majority(5, 3), core.GameOptions{})
			_, err := c.q.Answer(context.Background(), g)
			var setting *core.SettingError
			must.As(t, err, &setting)
			must.Equal(t, setting.Setting, c.setting)
		})
	}
}

// TestBagWith checks that instances of two bags are joined, and that bags that do not fit are not.
func TestBagWith(t *testing.T) {
	one := &core.Bag{Name: "one", Shape: []int{2}, Values: []float32{1, 2, 3, 4},
		Labels: []int{0, 1}}
	two := &core.Bag{Name: "two", Shape: []int{2}, Values: []float32{5, 6}, Labels: []int{2}}
	both := must.Get(one.With(two))(t)
	if both.Len() != 3 || both.Values[4] != 5 || !slices.Equal(both.Labels, []int{0, 1, 2}) ||
		both.Validate() != nil {
		t.Errorf("joined %+v", both)
	}
	for _, other := range []*core.Bag{
		{Shape: []int{1}, Values: []float32{5}},
		{Shape: []int{2}, Values: []float32{5, 6}, Raw: true},
		{Shape: []int{2}, Values: []float32{5, 6}, Relations: &core.Relations{}},
	} {
		must.Equal(t, errors.As(must.Err(one.With(other)), new(*core.BagError)), true, other)
	}
}

// TestCurves checks the curves of games with known answers and of a map.
func TestCurves(t *testing.T) {
	game := coretest.Additive(.5, -.25, .125, 1, 0)
	for _, ev := range []core.Evaluator{game, sharedGame(game)} {
		g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
		c := must.Get(whatif.CurvesQuestion{Scores: game.Shapley}.Answer(context.Background(),
			g))(t)
		kept := []float64{1, 1.5, 1.625, 1.625, 1.375}
		for n, p := range c.Kept {
			coretest.Near(t, "kept, best", p.Best, kept[n], coretest.Exact)
			coretest.Near(t, "kept, map", p.Map, kept[n], coretest.Exact)
			if p.Instances != n+1 || p.Random > p.Best+coretest.Exact {
				t.Errorf("point %d is %+v", n, p)
			}
		}
		removed := []float64{1.375, .375, -.125, -.25, -.25}
		for n, p := range c.Removed {
			coretest.Near(t, "removed, best", p.Best, removed[n], coretest.Exact)
			coretest.Near(t, "removed, map", p.Map, removed[n], coretest.Exact)
		}
		must.Equal(t, len(c.Kept), 5)
		must.Equal(t, len(c.Removed), 5)
	}
	large := attending(200, rand.New(rand.NewPCG(3, 1)))
	g, _ := core.NewGame(Logits{large}, core.GameOptions{})
	c := must.Get(whatif.CurvesQuestion{}.Answer(context.Background(), g))(t)
	first, last := c.Kept[0], c.Kept[len(c.Kept)-1]
	if len(c.Kept) != 33 || last.Instances != 200 || first.Best < first.Random ||
		!(math.Abs(last.Best-last.Random) <= coretest.Exact) {
		t.Errorf("%d points from %+v to %+v", len(c.Kept), first, last)
	}
	short := whatif.CurvesQuestion{Scores: []float64{1}}
	must.Fail(t, must.Err(short.Answer(context.Background(), g)))
}
