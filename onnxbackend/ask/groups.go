package ask

import (
	"context"

	"github.com/bagscope/bagscope/core/whatif"
)

// A GroupsQuestion asks for the instances that the model encodes to nearly the same values.
type GroupsQuestion struct{ Ask }

// Fields returns nil: the question has no options.
func (q *GroupsQuestion) Fields() []OptionField { return nil }

// A GroupsAnswer is the JSON of groups. Scripts depend on it.
type GroupsAnswer struct {
	Answered
	// Groups are instances with nearly equal embeddings, at least two in a group.
	Groups [][]int `json:"groups"`
}

// Answer answers the question. Errors are those of whatif.Groups, of the binding, and
// *core.SettingError.
func (q *GroupsQuestion) Answer(
	ctx context.Context, in *Input, progress func(done, total int),
) (*GroupsAnswer, error) {
	of, err := q.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	groups, err := whatif.Groups(ctx, of.Game)
	if err != nil {
		return nil, err
	}
	return &GroupsAnswer{
		Groups:   ListOf(groups, func(group []int) []int { return ListOf(group, in.Position) }),
		Answered: of.end(),
	}, nil
}
