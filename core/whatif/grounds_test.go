package whatif_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// logits is a game of two classes, of which the first has the logit 3 if the formula holds for the
// members and -3 if not, and the second 0.
type logits struct{ *coretest.Game }

func (l logits) Task() core.Task {
	return core.Task{Instances: l.Players, Classes: 2, Scale: core.ScaleLogits, Negative: 1}
}

func (l logits) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := l.Game.Evaluate(ctx, dst, z); err != nil {
		return err
	}
	for j := range z.Len() {
		dst[2*j], dst[2*j+1] = 6*dst[2*j]-3, 0
	}
	return nil
}

func (l logits) EmptyValue() []float64 { return []float64{-3, 0} }

// shared returns the game with neighbours.
func (l logits) shared() core.Evaluator {
	return struct {
		coretest.Neighbours
		core.EmptyEvaluator
	}{coretest.Neighbours{Evaluator: l}, l}
}

// groundsOf returns what the answer for a class of a game rests on, with an explanation in which
// some instances have evidence, in the order of their scores.
func groundsOf(t *testing.T, ev core.Evaluator, class int, evident ...int) *whatif.Grounds {
	t.Helper()
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	e := &core.Explanation{Class: class, Scores: make([]float64, g.Instances()),
		Evident: make([]bool, g.Instances())}
	for n, i := range evident {
		e.Evident[i], e.Scores[i] = true, float64(len(evident)-n)
		if class == 1 {
			e.Scores[i] *= -1
		}
	}
	return must.Get(whatif.GroundsQuestion{Class: class, Explanation: e}.Answer(t.Context(), g))(t)
}

// TestGroundsOfKnownGames checks games of which it is known what suffices and what turns them.
func TestGroundsOfKnownGames(t *testing.T) {
	any3 := tree(12, func(has func(int) bool) bool { return has(2) || has(5) || has(7) })
	both := tree(12, func(has func(int) bool) bool { return has(3) && has(8) })
	pairs := tree(12, func(has func(int) bool) bool { return has(0) && has(1) || has(5) && has(9) })
	never := tree(12, func(func(int) bool) bool { return false })
	for name, c := range map[string]struct {
		game    *coretest.Game
		class   int
		evident []int
		want    whatif.Grounds
	}{
		"one of three": {any3, 0, []int{5, 2, 7}, whatif.Grounds{Reached: true, For: 3, Tried: 12,
			Alone: 3, ForAlone: 3,
			Turn: whatif.Company{Instances: []int{2, 5, 7}, Highest: true, For: 3}}},
		"two of two": {both, 0, []int{8, 3}, whatif.Grounds{Reached: true, For: 2, Tried: 12,
			Needed: true, Together: whatif.Company{Instances: []int{3, 8}, Highest: true, For: 2},
			Turn: whatif.Company{Instances: []int{8}, Highest: true, For: 1}}},
		"either pair": {pairs, 0, []int{0, 5, 1, 9}, whatif.Grounds{
			Reached: true, For: 4, Tried: 12,
			Together: whatif.Company{Instances: []int{0, 1}, For: 2},
			Turn:     whatif.Company{Instances: []int{0, 5}, Highest: true, For: 2}}},
		"nothing": {never, 1, nil, whatif.Grounds{Class: 1, Reached: true, Tried: 12, Alone: 12}},
		"an answer that is not given": {any3, 1, []int{5, 2, 7}, whatif.Grounds{For: 3,
			Tried: 12, Alone: 3, ForAlone: 3,
			Turn: whatif.Company{Instances: []int{2, 5, 7}, Highest: true, For: 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ev := range []core.Evaluator{logits{c.game}, logits{c.game}.shared()} {
				got := groundsOf(t, ev, c.class, c.evident...)
				if (got.Without == nil) != (got.Turn.Instances == nil) || len(got.Whole) != 2 {
					t.Errorf("values %v, and %v without %+v", got.Whole, got.Without, got.Turn)
				}
				if got.Needed && len(got.Each) != len(got.Together.Instances) {
					t.Errorf("%d values without each of %v", len(got.Each), got.Together.Instances)
				}
				for _, values := range got.Each { // those of the bag that is turned
					if len(values) != 2 || values[c.class] >= .5 {
						t.Errorf("without one of %v: %v", got.Together.Instances, values)
					}
				}
				must.Equal(t, got.Evaluations <= whatif.GroundsEvaluations(12), true,
					got.Evaluations)
				want := c.want
				want.Class, want.Largest, want.Decides = c.class, true, true
				want.Whole, want.Without, want.Each = got.Whole, got.Without, got.Each
				want.Evaluations = got.Evaluations
				must.Equal(t, reflect.DeepEqual(*got, want), true, *got, want)
			}
		})
	}
}

// oneNumber is the first class of a game alone, a number without a threshold.
type oneNumber struct{ *coretest.Game }

func (n oneNumber) Task() core.Task {
	return core.Task{Instances: n.Players, Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (n oneNumber) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	both := make([]float64, 2*z.Len())
	if err := n.Game.Evaluate(ctx, both, z); err != nil {
		return err
	}
	for j := range dst {
		dst[j] = both[2*j]
	}
	return nil
}

func (n oneNumber) EmptyValue() []float64 { return n.Game.EmptyValue()[:1] }

// TestGroundsOfNumbers checks a number without a threshold, of which nothing decides.
func TestGroundsOfNumbers(t *testing.T) {
	worth := coretest.Additive(1, 5, -2, 0)
	g := must.Get(core.NewGame(oneNumber{worth}, core.GameOptions{}))(t)
	e := core.Explanation{Scores: worth.Shapley, Evident: []bool{true, true, true, false}}
	got := must.Get(whatif.GroundsQuestion{Explanation: &e}.Answer(t.Context(), g))(t)
	want := whatif.Grounds{Whole: []float64{4}, For: 2, Against: 1,
		Turn:    whatif.Company{Instances: []int{1}, Highest: true, For: 1},
		Without: []float64{-1}, Evaluations: 2}
	must.Equal(t, reflect.DeepEqual(*got, want), true, *got, want)
}

// TestGroundsWithoutScores checks that nothing but single instances is looked for without an
// explanation.
func TestGroundsWithoutScores(t *testing.T) {
	any3 := logits{tree(12, func(has func(int) bool) bool { return has(2) || has(5) || has(7) })}
	g := must.Get(core.NewGame(any3, core.GameOptions{}))(t)
	got := must.Get(whatif.GroundsQuestion{}.Answer(t.Context(), g))(t)
	if got.Tried != 12 || got.Alone != 3 || len(got.Turn.Instances) != 3 ||
		got.Evaluations != 1+12+1 {
		t.Errorf("%+v", got)
	}
}

// TestGroundsWithinBudget checks that every budget gives a part of the whole answer.
func TestGroundsWithinBudget(t *testing.T) {
	both := logits{tree(12, func(has func(int) bool) bool { return has(3) && has(8) })}
	of := func(budget int) *whatif.Grounds {
		g := must.Get(core.NewGame(both, core.GameOptions{Budget: budget}))(t)
		e := &core.Explanation{Scores: make([]float64, 12), Evident: make([]bool, 12)}
		e.Scores[3], e.Evident[3], e.Scores[8], e.Evident[8] = 1, true, 1, true
		return must.Get(whatif.GroundsQuestion{Explanation: e}.Answer(t.Context(), g))(t)
	}
	whole := of(0)
	if len(whole.Together.Instances) != 2 || !whole.Needed || len(whole.Turn.Instances) != 1 {
		t.Errorf("%+v", whole)
	}
	for budget := range whole.Evaluations {
		got := of(budget + 1)
		if got.Evaluations > budget+1 || got.Tried%12 != 0 || len(got.Together.Instances)%2 != 0 ||
			len(got.Turn.Instances) > 1 {
			t.Errorf("budget %d: %+v", budget+1, got)
		}
	}
	if got := of(5); got.Tried != 0 || got.For != 2 || got.Whole == nil {
		t.Errorf("5 evaluations: %+v", got)
	}
}

// TestGroundsOfManyInstances checks that a model that does not pool evaluates few of many instances
// alone.
func TestGroundsOfManyInstances(t *testing.T) {
	game := logits{tree(5000, func(has func(int) bool) bool { return has(2) || has(4711) })}
	got := groundsOf(t, game, 0, 4711, 2)
	if got.Tried != 32 || got.Alone != 2 || len(got.Turn.Instances) != 2 || got.Evaluations > 100 {
		t.Errorf("%+v", got)
	}
}
