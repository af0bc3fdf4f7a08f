package whatif

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/internal/msg"
)

// Moves are the changes that may turn an answer.
type Moves string

const (
	MovesAdd    Moves = "add"    // instances that are not in the bag are added
	MovesRemove Moves = "remove" // instances of the bag are removed
	MovesBoth   Moves = "both"   // both kinds of changes
)

// A TurnQuestion asks for the fewest changes of a bag that turn the answer for a class: they make
// it the largest, or reach Level, if it is not, and otherwise the opposite.
//
// The instances of the game are those of the bag and those that may be added, such as those of
// another bag: see [core.Bag.With].
type TurnQuestion struct {
	Class int
	Level *float64 // as in SetsQuestion
	Bag   []int    // the instances of the bag; nil means all of the game
	Moves Moves    // "" means MovesRemove
	Most  int      // largest number of changes, 0 for no limit
}

// A Turn is a sequence of changes of a bag.
type Turn struct {
	Class int
	Level *float64  // as in Sets
	Unit  core.Unit // unit of the class's values
	// Above reports whether the class has to become the largest, or to reach Level; else it has it
	// and has to lose it.
	Above bool
	From  []float64 // (class) values of the bag
	// Steps are the changes of a greedy search, each the one that changes the answer most.
	Steps  []TurnStep
	Turned bool // the last step turns the answer
	// Fewest is the smallest set of changes that was found, nil if none was. It may differ from
	// Steps.
	Fewest      *Decisive
	Evaluations int // coalitions that the model scored for this question
}

// A TurnStep is one change of a bag.
type TurnStep struct {
	Instance int
	Added    bool
	Values   []float64 // (class) of the bag after this change and all before it
}

// Answer returns the changes that turn the answer for a class. Steps are in the order of a greedy
// search; Fewest is found and proved as by [core.Game.Sets].
//
// Errors: a *SettingError for a wrong question, and those of [core.Game.Removable] and
// [core.Game.Values].
func (q TurnQuestion) Answer(ctx context.Context, g *core.Game) (*Turn, error) {
	if err := q.check(g); err != nil {
		return nil, err
	}
	if err := g.Removable(""); err != nil {
		return nil, err
	}
	to, err := newGoal(g, q.Class, q.Level, false)
	if err != nil {
		return nil, err
	}
	bag := core.NewCoalitions(g.Instances(), 1)
	bag.AppendMembers(q.Bag...)
	out := &Turn{Class: q.Class, Unit: g.HeadUnit()}
	if out.From, err = g.Values(ctx, bag); err != nil {
		return nil, err
	}
	if !to.largest {
		out.Level = &to.level
	}
	to.opposite = to.reached(to.score(out.From))
	out.Above = !to.opposite
	before := g.Evaluations()
	row := slices.Clone(bag.Row(0))
	s := newSearch(g, to, row, func(i int) bool {
		return q.Moves == MovesBoth || rows.Has(row, i) == (q.Moves == MovesRemove)
	})
	most := min(cmp.Or(q.Most, len(s.order)), len(s.order))
	g.Expect(s.cost(most))
	if err := out.walk(ctx, s, most); err != nil {
		return nil, err
	}
	if out.Fewest, err = s.smallest(ctx, most); err != nil {
		return nil, err
	}
	out.Evaluations = g.Evaluations() - before
	return out, nil
}

// walk fills in the steps of the greedy search.
func (t *Turn) walk(ctx context.Context, s *search, most int) error {
	set, turned, err := s.greedy(ctx, most, 0)
	if err != nil {
		return err
	}
	t.Turned = turned
	for n, i := range set {
		values, _, err := s.value(ctx, set[:n+1])
		if err != nil {
			return err
		}
		t.Steps = append(t.Steps, TurnStep{i, !rows.Has(s.base, i), values})
	}
	return nil
}

// check returns an error for a wrong question, and fills in defaults.
func (q *TurnQuestion) check(g *core.Game) error {
	k := g.Instances()
	if q.Bag == nil {
		q.Bag = linear.Indices(k)
	}
	seen := make([]bool, k)
	for _, i := range q.Bag {
		if i < 0 || i >= k || seen[i] {
			return &core.SettingError{Setting: "bag", Reason: fmt.Sprintf(
				"instance %d is listed twice or is not one of 0 to %d", i, k-1)}
		}
		seen[i] = true
	}
	q.Moves = cmp.Or(q.Moves, MovesRemove)
	switch {
	case len(q.Bag) < g.LeastBag():
		return &core.SettingError{Setting: "bag", Reason: fmt.Sprintf(
			"has %d instances, but the model takes bags of at least %d", len(q.Bag), g.LeastBag())}
	case !slices.Contains([]Moves{MovesAdd, MovesRemove, MovesBoth}, q.Moves):
		return &core.SettingError{Setting: "moves", Reason: msg.Sprintf(
			"%q is unknown; use add, remove or both", q.Moves)}
	case q.Most < 0:
		return &core.SettingError{Setting: "most", Reason: fmt.Sprintf(
			"must not be negative, got %d; omit it for no limit", q.Most)}
	case q.Moves == MovesAdd && len(q.Bag) == k:
		return &core.SettingError{
			Setting: "moves",
			Reason: "add needs instances that are not in the " +
				"bag; name a bag to take them from",
		}
	}
	return nil
}
