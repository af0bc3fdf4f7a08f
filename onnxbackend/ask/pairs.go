package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// A PairsAnswer is the JSON of pairs. Scripts depend on it.
type PairsAnswer struct {
	Answered
	Interaction whatif.PairIndex `json:"interaction"`
	Unit        core.Unit        `json:"unit"`
	Among       []int            `json:"among"` // instances whose pairs were evaluated
	Alone       []Number         `json:"alone"` // (place in among) effect of the instance alone
	Pairs       []Pair           `json:"pairs"` // the largest magnitude first
	Twins       [][]int          `json:"twins"` // groups of instances that act alike
	Contexts    int              `json:"contexts"`
	Freedom     Number           `json:"freedom"`
}

// A Pair is the interaction of two instances.
type Pair struct {
	A       int    `json:"a"`
	B       int    `json:"b"`
	Value   Number `json:"value"`
	StdErr  Number `json:"stderr"`
	Evident bool   `json:"evident"`
	// complete each other, stand in for each other, or "" if the interaction is not evident
	Relation string `json:"relation"`
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
