package ask

import (
	"context"
	"reflect"
	"slices"
	"strings"
)

// A WhatIf is a row of the table of what-ifs.
type WhatIf struct {
	Name   string // of the command, of the path on the server and of the function in Python
	Title  string // what it does, without a full stop
	Donor  bool   // it may add the instances of Input.Donor
	Answer reflect.Type
	New    func() Question // returns a question without options
}

// A Question is a what-if with its options.
type Question struct {
	*Ask
	Options []OptionField
	// Body points to the struct that holds Ask and Options. JSON decodes into it.
	Body any
	// Answer returns a pointer to a struct of the type that the table states.
	Answer func(ctx context.Context, in *Input, progress func(done, total int)) (any, error)
}

// WhatIfs returns the table of what-ifs. The command line, the server, Node and Python offer each
// of them by its name.
func WhatIfs() []WhatIf {
	turn := whatIf[TurnQuestion, TurnAnswer]("whatif",
		"Find the fewest instances to remove, or to add from another bag, that turn the prediction")
	turn.Donor = true
	return []WhatIf{
		whatIf[SetsQuestion, SetsAnswer]("sets",
			"Find the smallest sets of instances that decide the prediction"),
		whatIf[PairsQuestion, PairsAnswer]("pairs",
			"Find instances that complete each other or stand in for each other"),
		turn,
		whatIf[GroupsQuestion, GroupsAnswer]("groups",
			"Find groups of instances that the model encodes to nearly the same values"),
		whatIf[InsideQuestion, InsideAnswer]("inside",
			"Find the parts of one instance that matter, by hiding them"),
		whatIf[CheckQuestion, CheckAnswer]("check",
			"Check a map by random layers, noise and pasted marks"),
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

// A question is a pointer to a question of type Q with answers of type A.
type question[Q, A any] interface {
	*Q
	Common() *Ask
	Fields() []OptionField // the place of each option
	Answer(ctx context.Context, in *Input, progress func(done, total int)) (*A, error)
}

// QuestionOf returns q as a Question.
func QuestionOf[Q, A any, P question[Q, A]](q P) Question {
	return Question{Ask: q.Common(), Options: q.Fields(), Body: q, Answer: func(
		ctx context.Context, in *Input, progress func(done, total int),
	) (any, error) {
		a, err := q.Answer(ctx, in, progress)
		if err != nil {
			return nil, err
		}
		return a, nil
	}}
}

// whatIf returns the row of questions of type Q with answers of type A.
func whatIf[Q, A any, P question[Q, A]](name, title string) WhatIf {
	return WhatIf{Name: name, Title: title, Answer: reflect.TypeFor[A](),
		New: func() Question { return QuestionOf[Q, A](P(new(Q))) }}
}
