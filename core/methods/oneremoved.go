package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// OneRemoved scores an instance by the decrease of the prediction when the instance is removed:
// phi_i = F_c(X) - F_c(X without x_i) (METHODS section 1). If each of two instances suffices
// for a class, both scores are zero.
//
// An instance without which the bag has no answer has no score. In a bag of one instance, the score
// is F_c(X), as in Single.
//
// Cost: k + 1 evaluations.
type OneRemoved struct{}

// Name implements [core.Method].
func (OneRemoved) Name() string { return "one_removed" }

// Settings implements [core.Method]. There are none.
func (OneRemoved) Settings(int) []core.Setting { return nil }

// Evaluations implements [core.Method].
func (OneRemoved) Evaluations(k, _ int) int { return k + 1 }

// Attribute implements [core.Method].
func (OneRemoved) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if g.Instances() == 1 {
		return g.Alone(ctx, classes)
	}
	scores, err := removedScores(ctx, g, classes)
	if err != nil {
		return nil, err
	}
	a := &core.Attribution{Scores: scores}
	if a.SetUnscored("the bag without each of them") {
		_, err := g.Removed(ctx)
		return nil, err
	}
	return a, nil
}

// removedScores returns the decreases (class, instance) of the prediction, NaN for instances
// without which the bag has no answer.
func removedScores(ctx context.Context, g *core.Game, classes []int) ([][]float64, error) {
	full, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	values, err := g.RemovedAnswers(ctx)
	if err != nil {
		return nil, err
	}
	scores := g.ByClass(values, classes)
	for n, c := range classes {
		for i, without := range scores[n] {
			scores[n][i] = full[c] - without
		}
	}
	return scores, nil
}
