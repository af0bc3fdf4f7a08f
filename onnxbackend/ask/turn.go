package ask

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// A TurnAnswer holds the changes that turn the answer for a class.
type TurnAnswer struct {
	Answered
	// The value of the class that decides. If it is null, the class has to be the largest, or not
	// to be.
	Level *Number `json:"level"`
	Donor *Bag    `json:"donor,omitempty"` // the bag that instances are added from, or null
	// True if the class has to become the largest, or to reach the level; else the opposite.
	Above  bool   `json:"above"`
	Steps  []Step `json:"steps"`  // a greedy search, each step the change with the largest effect
	Turned bool   `json:"turned"` // true if the last step turns the answer
	// The fewest changes that were found, or null. They may differ from the steps.
	Fewest *Change `json:"fewest"`
}

// The parts of a TurnAnswer. Instances that are added have their positions in the donor.
type (
	// Step is one change of a bag.
	Step struct {
		Instance int      `json:"instance"`
		Added    bool     `json:"added"`  // false if the instance is removed
		Values   []Number `json:"values"` // value of each class after this change and all before it
	}
	// Change is a set of changes.
	Change struct {
		Removed []int    `json:"removed"` // ascending
		Added   []int    `json:"added"`   // ascending
		Values  []Number `json:"values"`  // value of each class after the changes
		// True if all smaller sets of changes were evaluated; else no smaller one was found.
		Smallest bool `json:"smallest"`
		// Number of changes up to which all sets were evaluated.
		Enumerated int `json:"enumerated"`
	}
)

// Additions say which instances Turn may add to a bag.
type Additions struct {
	Donor *core.Bag // a bag whose instances may be added, or nil
	// Members are the instances of the file's bag that are in the bag at first, and the others may
	// be added; nil means that all are.
	Members []int
}

// TurnOptions are the options that whatif.TurnOptions declares.
type TurnOptions struct {
	Level *float64 `json:"level"`
	Moves *string  `json:"moves"`
	Most  *int     `json:"most"`
}

// Turn answers the question for the fewest changes that turn an answer. Errors are those of
// core.Game.Turn and core.Bag.With, of the binding, and *core.SettingError for options.
func (a *Ask) Turn(
	ctx context.Context, in *Input, o TurnOptions, progress func(done, total int),
) (*TurnAnswer, error) {
	if err := checkOptions(&o, whatif.TurnOptions()); err != nil {
		return nil, err
	}
	out := &TurnAnswer{}
	q := whatif.TurnQuestion{
		Level: o.Level,
		Moves: whatif.Moves(given(o.Moves)),
		Most:  given(o.Most),
	}
	joined, k := *in, in.Bag.Len()
	var err error
	if d := in.Donor; d != nil {
		if joined.Bag, err = in.Bag.With(d); err != nil {
			return nil, err
		}
		donor := bagOf(d, d, in.Engine.Info())
		out.Donor = &donor
		if q.Moves == "" {
			q.Moves = whatif.MovesAdd
		}
	}
	if in.Members != nil {
		if q.Bag, err = in.members(in.Members); err != nil {
			return nil, err
		}
	} else {
		for i := range k {
			q.Bag = append(q.Bag, i)
		}
	}
	of, err := a.ask(ctx, &joined, q.Bag, progress)
	if err != nil {
		return nil, err
	}
	q.Class = of.class
	t, err := q.Answer(ctx, of.Game)
	if err != nil {
		return nil, err
	}
	// place returns the position of an instance in the bag of its file.
	place := func(i int) int {
		if i >= k {
			return i - k
		}
		return in.Position(i)
	}
	out.Above, out.Turned = t.Above, t.Turned
	out.Steps = ListOf(t.Steps, func(s whatif.TurnStep) Step {
		return Step{place(s.Instance), s.Added, Numbers(s.Values)}
	})
	if t.Level != nil {
		level := Number(*t.Level)
		out.Level = &level
	}
	if d := t.Fewest; d != nil {
		out.Fewest = &Change{[]int{}, []int{}, Numbers(d.Values), d.Smallest, d.Enumerated}
		for _, i := range d.Instances {
			if slices.Contains(q.Bag, i) {
				out.Fewest.Removed = append(out.Fewest.Removed, place(i))
			} else {
				out.Fewest.Added = append(out.Fewest.Added, place(i))
			}
		}
	}
	out.Answered = of.end()
	return out, nil
}
