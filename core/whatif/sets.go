package whatif

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/internal/msg"
)

// SetKind is what a set of instances decides.
type SetKind string

const (
	// SetsSufficient are sets whose instances alone give the answer.
	SetsSufficient SetKind = "sufficient"
	// SetsNecessary are sets without which the bag does not give the answer.
	SetsNecessary SetKind = "necessary"
)

// MostSets is the largest number of sets of an answer.
const MostSets = 20

// A SetsQuestion asks for the smallest sets of instances that decide the answer for a class
// (METHODS section 7).
type SetsQuestion struct {
	Kind  SetKind // "" means SetsSufficient
	Class int
	// Level is the value of the class, on the game's output, that a sufficient set reaches and a
	// bag without a necessary set does not. Nil means that the class is the largest of its head, or
	// one half for the probability of a head of one class.
	Level *float64
	// Several is the number of disjoint sets to look for, 0 means 1; at most MostSets.
	Several int
}

// Sets are the smallest sets of instances that decide an answer.
type Sets struct {
	Kind  SetKind
	Class int
	// Level is that of the question, or the one half that it stands for; nil if the class has to be
	// the largest.
	Level *float64
	Whole []float64 // (class) values of the whole bag
	Unit  core.Unit // unit of the class's values
	// Found lists disjoint sets in the order of the search, each the smallest without the instances
	// of the earlier ones. It is empty if there is none, or if none was found.
	Found       []Decisive
	Evaluations int // coalitions that the model scored for this question
	Notes       []string
}

// Answer returns the smallest sets that decide the answer for a class. They are found by a greedy
// search with exchanges, and proved smallest by evaluating all smaller sets where these are few:
// sets of up to three in bags of up to 270 instances under a model that pools.
//
// Cost: at most 8 million evaluations for each set, or 100,000 under a model without neighbours.
//
// Errors: a *SettingError for a wrong question, and those of [core.Game.Removable] and
// [core.Game.Values].
func (q SetsQuestion) Answer(ctx context.Context, g *core.Game) (*Sets, error) {
	q.Kind, q.Several = cmp.Or(q.Kind, SetsSufficient), cmp.Or(q.Several, 1)
	if q.Kind != SetsSufficient && q.Kind != SetsNecessary {
		return nil, &core.SettingError{Setting: "kind", Reason: msg.Sprintf(
			"%q is unknown; use sufficient or necessary", q.Kind)}
	}
	if q.Several < 1 || q.Several > MostSets {
		return nil, &core.SettingError{Setting: "several", Reason: fmt.Sprintf(
			"must be between 1 and %d, got %d", MostSets, q.Several)}
	}
	if err := g.Removable(""); err != nil {
		return nil, err
	}
	necessary := q.Kind == SetsNecessary
	to, err := newGoal(g, q.Class, q.Level, necessary)
	if err != nil {
		return nil, err
	}
	out := &Sets{Kind: q.Kind, Class: q.Class, Unit: g.HeadUnit()}
	if !to.largest {
		out.Level = &to.level
	}
	if out.Whole, err = g.Full(ctx); err != nil {
		return nil, err
	}
	before := g.Evaluations()
	k := g.Instances()
	base := make([]uint64, (k+63)/64)
	if necessary {
		rows.Fill(base, k)
	}
	used := make([]bool, k)
	for n := range q.Several {
		s := newSearch(g, to, base, func(i int) bool { return !used[i] })
		s.later = (q.Several - n - 1) * s.cost(len(s.order))
		g.Expect(s.cost(len(s.order)) + s.later)
		d, err := s.smallest(ctx, len(s.order))
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		out.Found = append(out.Found, *d)
		if len(d.Instances) == 0 {
			break // the bag gives no such answer as it is
		}
		for _, i := range d.Instances {
			used[i] = true
		}
	}
	out.Evaluations = g.Evaluations() - before
	out.note()
	return out, nil
}

// AddNote adds notes for the reader.
func (s *Sets) note() {
	switch {
	case len(s.Found) == 0:
		s.Notes = append(s.Notes, "no set of instances was found that decides this answer")
	case len(s.Found[0].Instances) == 0:
		s.Notes = append(s.Notes, "the bag does not give this answer, so that nothing has to be "+
			"removed")
	case slices.ContainsFunc(s.Found, func(d Decisive) bool { return !d.Smallest }):
		s.Notes = append(s.Notes, "no smaller set was found, but there are too many sets to prove "+
			"that none exists")
	}
}
