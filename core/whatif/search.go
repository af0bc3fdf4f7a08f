package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// A search looks for the smallest set of changes of a coalition that reaches a goal. A change adds
// an instance or removes it.
//
//	greedy    adds the change with the largest score until the goal is reached
//	shrink    drops changes that are not needed
//	fewer     looks for sets of one change less: it drops one, and exchanges single changes while
//	          the score grows
//	floating  is greedy with exchanges after each change
//	prove     evaluates all sets of 1, 2, .. changes that are affordable
//
// Changes with equal scores are taken in random order.
type search struct {
	g     *core.Game
	to    goal
	base  []uint64
	order []int // instances that may change, in the order of ties
	least int   // fewest changes after which the model has a value
	s     *surroundings
	left  int // evaluations that may still be spent on greedy, shrink and exchange
	proof int // evaluations that may still be spent on sets of all sizes
	later int // upper bound of the evaluations of the searches after this one, for Progress
}

// Limits of a search: pooling models evaluate some millions of neighbours in a second.
const (
	mostSearched     = 3_000_000
	mostSearchedEach = 60_000 // under models without neighbours
	mostProved       = 5_000_000
	mostProvedEach   = 40_000
	// provedShare is the part of the proof's evaluations that a search for a first set may spend:
	// if it finds none, there is probably none.
	provedShare        = 10
	mostExchangeRounds = 30
	greedyStarts       = 3
)

// newSearch returns a search from a base coalition over the instances that may change.
func newSearch(g *core.Game, to goal, base []uint64, may func(i int) bool) *search {
	s := &search{g: g, to: to, base: base, s: newSurroundings(g), left: mostSearched,
		proof: mostProved}
	if s.s.ev == nil {
		s.left, s.proof = mostSearchedEach, mostProvedEach
	}
	s.order = slices.DeleteFunc(g.Rand("search ties").Perm(g.Instances()),
		func(i int) bool { return !may(i) })
	if size := rows.Overlap(base, base); size < g.LeastBag() && s.s.empty == nil {
		s.least = g.LeastBag() - size
	}
	return s
}

// changed writes the base with the instances of a set changed.
func (s *search) changed(set []int) []uint64 {
	z := slices.Clone(s.base)
	for _, i := range set {
		rows.Toggle(z, i)
	}
	return z
}

// scores returns the score of a set with each instance of the game added to it, or removed from it
// if it is a member, and last that of the set itself. Unknown scores are NaN. It returns false if
// the evaluations of the search are spent.
func (s *search) scores(ctx context.Context, set []int) ([]float64, bool, error) {
	k := s.g.Instances()
	if s.left -= k + 1; s.left < 0 {
		return nil, false, nil
	}
	if s.s.ev != nil {
		if err := s.g.CheckBudget(k + 1); err != nil {
			return nil, false, err
		}
	}
	out, err := s.s.scores(ctx, s.changed(set), s.to)
	return out, err == nil, err
}

// scores returns the scores of the neighbours of coalition z and of z itself.
func (s *surroundings) scores(ctx context.Context, z []uint64, to goal) ([]float64, error) {
	values, err := s.outputs(ctx, z)
	if err != nil {
		return nil, err
	}
	out := s.column[0]
	for i := range out {
		out[i] = to.score(values[i*s.g.Classes() : (i+1)*s.g.Classes()])
	}
	return out, nil
}

// value returns the values of a set, and whether they reach the goal. They are those of
// Game.Values, which neighbours equal up to rounding. Values are nil if the model has none,
// or no answer.
func (s *search) value(ctx context.Context, set []int) ([]float64, bool, error) {
	z := core.NewCoalitions(s.g.Instances(), 1)
	z.Append(s.changed(set))
	switch size := z.Size(0); {
	case size == 0 && s.s.empty != nil:
		return s.s.empty, s.to.reached(s.to.score(s.s.empty)), nil
	case size == 0 || !s.s.known(size):
		return nil, false, nil
	}
	values, err := s.g.Answers(ctx, z)
	if err != nil || math.IsNaN(values[0]) {
		return nil, false, err
	}
	return values, s.to.reached(s.to.score(values)), nil
}

// reaches reports whether a set reaches the goal.
func (s *search) reaches(ctx context.Context, set []int) (bool, error) {
	_, ok, err := s.value(ctx, set)
	return ok, err
}

// best returns the instance outside of a set with the largest score, or -1 if none is known. rank
// skips as many of the best.
func (s *search) best(scores []float64, set []int, rank int) int {
	skip := make([]bool, s.g.Instances())
	for _, i := range set {
		skip[i] = true
	}
	for {
		top := -1
		for _, i := range s.order {
			if !skip[i] && !math.IsNaN(scores[i]) && (top < 0 || scores[i] > scores[top]) {
				top = i
			}
		}
		if rank == 0 || top < 0 {
			return top
		}
		rank--
		skip[top] = true
	}
}

// greedy returns the changes in the order of the search, at most most, and whether they reach the
// goal. rank is that of the first change.
func (s *search) greedy(ctx context.Context, most, rank int) ([]int, bool, error) {
	set, err := s.first(ctx)
	if err != nil {
		return nil, false, err
	}
	for {
		if ok, err := s.reaches(ctx, set); ok || err != nil {
			return set, ok, err
		}
		if len(set) >= min(most, len(s.order)) {
			return set, false, nil
		}
		scores, ok, err := s.scores(ctx, set)
		if !ok {
			return set, false, err
		}
		next := s.best(scores, set, rank)
		if rank = 0; next < 0 {
			return set, false, nil
		}
		set = append(set, next)
	}
}

// first returns the changes that a search starts with: none, or if the base is too small for the
// model, the instances with the largest scores alone.
func (s *search) first(ctx context.Context) ([]int, error) {
	if s.least < 2 {
		return nil, nil
	}
	singles, err := s.g.Singles(ctx)
	if err != nil {
		return nil, err
	}
	alone := make([]float64, s.g.Instances())
	for i := range alone {
		alone[i] = s.to.score(singles[i*s.g.Classes() : (i+1)*s.g.Classes()])
	}
	var set []int
	for range min(s.least, len(s.order)) {
		set = append(set, s.best(alone, set, 0))
	}
	return set, nil
}

// shrink drops changes from a set that reaches the goal, those that leave the largest score first,
// while the rest reaches it.
func (s *search) shrink(ctx context.Context, set []int) ([]int, error) {
	for len(set) > max(1, s.least) {
		scores, ok, err := s.scores(ctx, set)
		if !ok {
			return set, err
		}
		rest := without(set, s.dropped(scores, set))
		if ok, err := s.reaches(ctx, rest); !ok || err != nil {
			return set, err
		}
		set = rest
	}
	return set, nil
}

// dropped returns the member of a set without which the score is largest.
func (s *search) dropped(scores []float64, set []int) int {
	top := set[0]
	for _, i := range set {
		if scores[i] > scores[top] || math.IsNaN(scores[top]) {
			top = i
		}
	}
	return top
}

// without returns a set without an instance.
func without(set []int, i int) []int {
	return slices.DeleteFunc(slices.Clone(set), func(j int) bool { return i == j })
}

// fewer returns a set of one change less that reaches the goal, or nil if it finds none.
func (s *search) fewer(ctx context.Context, set []int) ([]int, error) {
	scores, ok, err := s.scores(ctx, set)
	if !ok || len(set) <= max(1, s.least) {
		return nil, err
	}
	out := s.dropped(scores, set)
	set, ok, err = s.exchange(ctx, without(set, out), scores[out])
	if !ok {
		return nil, err
	}
	return set, err
}

// exchange exchanges single changes of a set while its score grows and the goal is not reached. It
// returns the set and whether it reaches the goal.
func (s *search) exchange(ctx context.Context, set []int, score float64) ([]int, bool, error) {
	for range mostExchangeRounds {
		var next []int
		for _, i := range set {
			rest := without(set, i)
			scores, ok, err := s.scores(ctx, rest)
			if !ok {
				return set, false, err
			}
			in := s.best(scores, set, 0)
			if in >= 0 && (scores[in] > score || math.IsNaN(score)) {
				score, next = scores[in], append(rest, in)
			}
		}
		if next == nil {
			return set, false, nil
		}
		set = next
		if s.to.reached(score) {
			if ok, err := s.reaches(ctx, set); ok || err != nil {
				return set, ok, err
			}
		}
	}
	return set, false, nil
}

// floating is greedy with exchanges after each change (Pudil, Novovicova and Kittler 1994). It
// finds sets of up to most changes that greedy misses because the score does not grow with each
// change.
func (s *search) floating(ctx context.Context, most int) ([]int, error) {
	set, err := s.first(ctx)
	for err == nil && len(set) < min(most, len(s.order)) {
		scores, ok, err := s.scores(ctx, set)
		if !ok {
			return nil, err
		}
		next := s.best(scores, set, 0)
		if next < 0 {
			return nil, nil
		}
		score := scores[next]
		set = append(set, next)
		if ok, err = s.reaches(ctx, set); !ok && err == nil {
			set, ok, err = s.exchange(ctx, set, score)
		}
		if ok || err != nil {
			return set, err
		}
	}
	return nil, err
}
