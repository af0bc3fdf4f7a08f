package ask

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/whatif"
)

// A WhatIf is a row of the table of what-ifs.
type WhatIf struct {
	Name   string           // name of the command, the server's path and Python's function
	Title  string           // what it does, without a full stop
	Donor  bool             // whether it may add the instances of Input.Donor
	Named  bool             // whether it may use Input.Concepts
	Answer reflect.Type     // struct of the answer
	New    func() *Question // returns a question without options
}

// A Question is a what-if with its options.
type Question struct {
	Ask
	Options any           // pointer to the struct of its own options
	Fields  []OptionField // the place of each of them
	// Answer returns a pointer to the struct that the table states. Errors are those of the method
	// of Ask.
	Answer func(ctx context.Context, in *Input, progress func(done, total int)) (any, error)
}

// WhatIfs returns the table of what-ifs. The command line, the server, Node and Python offer each
// of them by its name.
func WhatIfs() []WhatIf {
	turn := whatIf("whatif", "Find the fewest instances to remove, or to add from another bag, "+
		"that turn the prediction", whatif.TurnOptions(), (*Ask).Turn)
	turn.Donor = true
	groups := whatIf("groups", "Find groups of instances that the model encodes to nearly the "+
		"same values, or measure what named sets of instances do", whatif.GroupsOptions(),
		(*Ask).Groups)
	groups.Named = true
	return []WhatIf{
		whatIf("sets", "Find the smallest sets of instances that decide the prediction",
			whatif.SetsOptions(), (*Ask).Sets),
		whatIf("pairs", "Find instances that complete each other or stand in for each other",
			whatif.PairsOptions(), (*Ask).Pairs),
		turn,
		groups,
		whatIf("profile", "Predict the bag for other values of a covariate, such as the age",
			whatif.ProfileOptions(), (*Ask).Profile),
		whatIf("inside", "Find the parts of one instance that matter, by hiding them",
			whatif.InsideOptions(), (*Ask).Inside),
		whatIf("check", "Check a map by random layers, noise and pasted marks",
			metric.CheckOptions(), (*Ask).Check),
	}
}

// Type returns what the names of the types of a what-if begin with: Turn for TurnAnswer.
func (w WhatIf) Type() string { return strings.TrimSuffix(w.Answer.Name(), "Answer") }

// FindWhatIf returns the row of the table with this name, and whether there is one.
func FindWhatIf(name string) (WhatIf, bool) {
	table := WhatIfs()
	i := slices.IndexFunc(table, func(w WhatIf) bool { return w.Name == name })
	if i < 0 {
		return WhatIf{}, false
	}
	return table[i], true
}

// whatIf returns the row of the questions with options of type O and answers of type A.
func whatIf[O, A any](
	name, title string, options []core.Option,
	answer func(
		a *Ask, ctx context.Context, in *Input, o O, progress func(done, total int),
	) (*A, error),
) WhatIf {
	return WhatIf{Name: name, Title: title, Answer: reflect.TypeFor[A](), New: func() *Question {
		var o O
		q := &Question{Options: &o, Fields: fieldsOf(&o, options)}
		q.Answer = func(
			ctx context.Context, in *Input, progress func(done, total int),
		) (any, error) {
			a, err := answer(&q.Ask, ctx, in, o, progress)
			if err != nil {
				return nil, err
			}
			return a, nil
		}
		return q
	}}
}
