package ask

import (
	"context"

	"github.com/bagscope/bagscope/core/whatif"
)

// A GroupsAnswer holds the instances that the model encodes to nearly the same values.
type GroupsAnswer struct {
	Answered
	// Two or more instances each, ascending.
	Groups [][]int `json:"groups"`
}

// GroupsOptions has no options.
type GroupsOptions struct{}

// Groups answers the question for instances that are alike. Errors are those of core.Game.Groups,
// of the binding, and *core.SettingError.
func (a *Ask) Groups(
	ctx context.Context, in *Input, _ GroupsOptions, progress func(done, total int),
) (*GroupsAnswer, error) {
	of, err := a.ask(ctx, in, nil, progress)
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
