package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// Combined is the mean of Single and OneRemoved (METHODS section 1). Single finds sufficient
// instances, OneRemoved necessary ones. The neutral point is the mean of both: half of Single's
// mean over the bag, because that of OneRemoved is 0.
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
	a, err := Single{}.Attribute(ctx, g, classes)
	if err != nil {
		return nil, err
	}
	b, err := OneRemoved{}.Attribute(ctx, g, classes)
	if err != nil {
		return nil, err
	}
	for n, scores := range a.Scores {
		for i := range scores {
			scores[i] = (scores[i] + b.Scores[n][i]) / 2
		}
	}
	for n := range a.Neutral {
		a.Neutral[n] /= 2
	}
	a.Notes = []string{"the neutral point is half of the mean that single instances score: " +
		"scores above it support the class, scores below it refute it"}
	if g.LeastBag() > 1 {
		a.AddNote(g.CompanyNote())
	}
	return a, nil
}
