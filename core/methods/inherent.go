package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// Inherent returns the model's own scores of instances (METHODS section 1; paper, section 3): the
// instance probabilities of mi-Net, the attention of MI-Attn, the cluster weights of MI-GNN. The
// scores are on the model's own scale. Their neutral point is their mean over the bag, which for
// attention is 1/k. Attribute returns an *UnavailableError if the model has no such output.
//
// Cost: the whole bag, once.
type Inherent struct{}

// Name implements [core.Method].
func (Inherent) Name() string { return "inherent" }

// Settings implements [core.Method]. There are none.
func (Inherent) Settings(int) []core.Setting { return nil }

// Evaluations implements [core.Method].
func (Inherent) Evaluations(_, _ int) int { return 0 }

// Attribute implements [core.Method].
func (Inherent) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	a := &core.Attribution{Scores: make([][]float64, len(classes)), Unit: core.UnitScore,
		Notes: []string{neutralMean}}
	for n, c := range classes {
		scores, err := g.Attention(ctx, c)
		if err != nil {
			return nil, err
		}
		a.Scores[n] = scores
	}
	a.Neutral = stats.Means(a.Scores)
	return a, nil
}
