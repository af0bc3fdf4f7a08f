package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// A PairsAnswer holds the interactions of pairs of instances.
type PairsAnswer struct {
	Answered
	Interaction whatif.PairIndex `json:"interaction"`
	// Unit of interactions: log-odds if the output is a probability.
	Unit core.Unit `json:"unit"`
	// The instances whose pairs were evaluated, the largest effect first.
	Among    []int    `json:"among"`
	Alone    []Number `json:"alone"`    // effect of each instance of among alone
	Pairs    []Pair   `json:"pairs"`    // the largest magnitude first
	Twins    [][]int  `json:"twins"`    // groups of two or more instances that act alike
	Contexts int      `json:"contexts"` // number of contexts, 0 if all coalitions were evaluated
	Freedom  Number   `json:"freedom"`  // degrees of freedom of the standard errors
}

// A Pair is the interaction of two instances.
type Pair struct {
	A int `json:"a"`
	B int `json:"b"`
	// Above 0, the instances complete each other; below 0, they stand in for each other.
	Value  Number `json:"value"`
	StdErr Number `json:"stderr"` // standard error, 0 if all coalitions were evaluated
	// True if the value differs from 0 by more than chance and rounding explain.
	Evident bool `json:"evident"`
	// What an evident value means; "" if it is not evident.
	Relation string `json:"relation" ts:"'complete each other' | 'stand in for each other' | ''"`
}

// PairsOptions are the options that whatif.PairsOptions declares.
type PairsOptions struct {
	Interaction *string `json:"interaction"`
	Among       *int    `json:"among"`
	Contexts    *int    `json:"contexts"`
}

// Pairs answers the question for interactions. Errors are those of core.Game.Pairs, of the binding,
// and *core.SettingError for options.
func (a *Ask) Pairs(
	ctx context.Context, in *Input, o PairsOptions, progress func(done, total int),
) (*PairsAnswer, error) {
	if err := checkOptions(&o, whatif.PairsOptions()); err != nil {
		return nil, err
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	p, err := whatif.PairsQuestion{Class: of.class,
		Index: whatif.PairIndex(given(o.Interaction)), Among: given(o.Among),
		Contexts: given(o.Contexts)}.Answer(ctx, of.Game)
	if err != nil {
		return nil, err
	}
	return &PairsAnswer{
		Interaction: p.Index, Unit: p.Unit, Among: ListOf(p.Among, in.Position),
		Alone: Numbers(p.Alone), Contexts: p.Contexts, Freedom: Number(p.Freedom),
		Pairs: ListOf(p.List, func(pair whatif.Pair) Pair {
			return Pair{in.Position(pair.A), in.Position(pair.B), Number(pair.Value),
				Number(pair.StdErr), pair.Evident, relation(pair)}
		}),
		Twins:    ListOf(p.Twins, func(group []int) []int { return ListOf(group, in.Position) }),
		Answered: of.end(p.Notes...),
	}, nil
}

// relation returns what an evident interaction means.
func relation(p whatif.Pair) string {
	switch {
	case !p.Evident:
		return ""
	case p.Value > 0:
		return "complete each other"
	}
	return "stand in for each other"
}
