package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// Combined is the mean of Single and OneRemoved (METHODS section 1). Single finds sufficient
// instances, OneRemoved necessary ones. The neutral point is the mean of both: half of Single's
// mean over the bag, because that of OneRemoved is 0. An instance that lacks one of the two scores
// has none.
//
// Cost: 2k + 1 evaluations.
type Combined struct{}

// Name implements [core.Method].
func (Combined) Name() string { return "combined" }

// Settings implements [core.Method]. There are none.
func (Combined) Settings(int) []core.Setting { return nil }

// Evaluations implements [core.Method].
func (Combined) Evaluations(k, _ int) int { return 2*k + 1 }

// Attribute implements [core.Method].
func (Combined) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if g.Instances() == 1 {
		return g.Alone(ctx, classes)
	}
	if err := g.Removable("combined"); err != nil {
		return nil, err
	}
	singles, err := g.SingleAnswers(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := removedScores(ctx, g, classes)
	if err != nil {
		return nil, err
	}
	a := &core.Attribution{Scores: g.ByClass(singles, classes)}
	a.Neutral = stats.Means(a.Scores)
	for n, scores := range a.Scores {
		for i := range scores {
			scores[i] = (scores[i] + removed[n][i]) / 2
		}
		a.Neutral[n] /= 2
	}
	a.Notes = []string{"the neutral point is half of the mean that single instances score: " +
		"scores above it support the class, scores below it refute it"}
	if a.SetUnscored("each of them alone, or of the bag without it,") {
		return nil, noneScored(ctx, g)
	}
	if g.LeastBag() > 1 {
		a.AddNote(g.CompanyNote())
	}
	return a, nil
}

// noneScored returns the *NonFiniteError of the first instance of a bag in which none has a score.
func noneScored(ctx context.Context, g *core.Game) error {
	if _, err := g.Singles(ctx); err != nil {
		return err
	}
	_, err := g.Removed(ctx)
	return err
}
