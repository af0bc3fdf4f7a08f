package ask

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core/whatif"
)

// TurnOptions are the options of a TurnQuestion, which whatif.TurnOptions declares.
type TurnOptions struct {
	Level *float64 `json:"level"`
	Moves *string  `json:"moves"`
	Most  *int     `json:"most"`
}

// Fields returns the place of each option.
func (o *TurnOptions) Fields() []OptionField { return fieldsOf(o, whatif.TurnOptions()) }

// A TurnQuestion asks for the fewest changes that turn an answer. The instances of Input.Donor may
// be added.
type TurnQuestion struct {
	Ask
	TurnOptions
	// Members are the instances of the file's bag that are in the bag at first, and the others may
	// be added; nil means that all are.
	Members []int `json:"-"`
}

// A TurnAnswer is the JSON of whatif. Scripts depend on it.
type TurnAnswer struct {
	Answered
	Level  *Number `json:"level"`           // null: the class has to be the largest, or not to be
	Donor  *Bag    `json:"donor,omitempty"` // the bag that instances are added from
	Above  bool    `json:"above"`           // the class has to become the largest, or reach level
	Steps  []Step  `json:"steps"`           // a greedy search, each step the one with most effect
	Turned bool    `json:"turned"`          // the last step turns the answer
	Fewest *Change `json:"fewest"`          // the fewest changes that were found, or null
}

// The parts of a TurnAnswer. Instances that are added have their positions in the donor.
type (
	// Step is one change.
	Step struct {
		Instance int      `json:"instance"`
		Added    bool     `json:"added"`
		Values   []Number `json:"values"` // (class) after this step
	}
	// Change is a set of changes.
	Change struct {
		Removed    []int    `json:"removed"`
		Added      []int    `json:"added"`
		Values     []Number `json:"values"` // (class)
		Smallest   bool     `json:"smallest"`
		Enumerated int      `json:"enumerated"`
	}
)

// Answer answers the question. Errors are those of whatif.TurnQuestion.Answer and core.Bag.With, of
// the binding, and *core.SettingError for options.
func (q *TurnQuestion) Answer(
	ctx context.Context, in *Input, progress func(done, total int),
) (*TurnAnswer, error) {
	if err := checkFields(q.Fields()); err != nil {
		return nil, err
	}
	out := &TurnAnswer{}
	turn := whatif.TurnQuestion{
		Level: q.Level,
		Moves: whatif.Moves(given(q.Moves)),
		Most:  given(q.Most),
	}
	joined, k := *in, in.Bag.Len()
	var err error
	if d := in.Donor; d != nil {
		if joined.Bag, err = in.Bag.With(d); err != nil {
			return nil, err
		}
		out.Donor = &Bag{d.Name, d.Len()}
		if turn.Moves == "" {
			turn.Moves = whatif.MovesAdd
		}
	}
	if q.Members != nil {
		if turn.Bag, err = in.members(q.Members); err != nil {
			return nil, err
		}
	} else {
		for i := range k {
			turn.Bag = append(turn.Bag, i)
		}
	}
	of, err := q.ask(ctx, &joined, turn.Bag, progress)
	if err != nil {
		return nil, err
	}
	turn.Class = of.class
	t, err := turn.Answer(ctx, of.Game)
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
			if slices.Contains(turn.Bag, i) {
				out.Fewest.Removed = append(out.Fewest.Removed, place(i))
			} else {
				out.Fewest.Added = append(out.Fewest.Added, place(i))
			}
		}
	}
	out.Answered = of.end()
	return out, nil
}
