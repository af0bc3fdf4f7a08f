package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// Single scores an instance by the prediction for it alone: phi_i = F_c({x_i}) (METHODS section 1).
// If F is a probability, all scores are positive. The neutral point is their mean over the bag: an
// instance above it supports the class more than the instances do on average. If the smallest bag
// of the model has m > 1 instances, each instance is scored together with the m - 1 least important
// ones (see [core.Game.Singles]). An instance that has no answer alone has no score.
//
// Cost: k evaluations; at most 4k if m > 1.
type Single struct{}

// Name implements [core.Method].
func (Single) Name() string { return "single" }

// Settings implements [core.Method]. There are none.
func (Single) Settings(int) []core.Setting { return nil }

// Evaluations implements [core.Method].
func (Single) Evaluations(k, _ int) int { return k }

// Attribute implements [core.Method].
func (Single) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if g.Instances() == 1 {
		return g.Alone(ctx, classes)
	}
	values, err := g.SingleAnswers(ctx)
	if err != nil {
		return nil, err
	}
	a := &core.Attribution{Scores: g.ByClass(values, classes), Notes: []string{neutralMean}}
	a.Neutral = stats.Means(a.Scores)
	if a.SetUnscored("each of them alone") {
		_, err := g.Singles(ctx)
		return nil, err
	}
	if g.LeastBag() > 1 {
		a.AddNote(g.CompanyNote())
	}
	return a, nil
}

// neutralMean is the note of methods with scores that are not differences, whose neutral point is
// not 0.
const neutralMean = "the neutral point is the mean score of the bag's instances: " +
	"scores above it support the class, scores below it refute it"
