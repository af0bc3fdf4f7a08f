package ask

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// PairsOptions are the options of a PairsQuestion, which whatif.PairsOptions declares.
type PairsOptions struct {
	Interaction *string `json:"interaction"`
	Among       *int    `json:"among"`
	Contexts    *int    `json:"contexts"`
}

// Fields returns the place of each option.
func (o *PairsOptions) Fields() []OptionField { return fieldsOf(o, whatif.PairsOptions()) }

// A PairsQuestion asks for the interactions of pairs of instances.
type PairsQuestion struct {
	Ask
	PairsOptions
}

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

// Answer answers the question. Errors are those of whatif.PairsQuestion.Answer, of the binding, and
// *core.SettingError for options.
func (q *PairsQuestion) Answer(
	ctx context.Context, in *Input, progress func(done, total int),
) (*PairsAnswer, error) {
	if err := checkFields(q.Fields()); err != nil {
		return nil, err
	}
	of, err := q.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	p, err := whatif.PairsQuestion{Class: of.class,
		Index: whatif.PairIndex(given(q.Interaction)), Among: given(q.Among),
		Contexts: given(q.Contexts)}.Answer(ctx, of.Game)
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
