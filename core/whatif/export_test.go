package whatif

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// UnprovedSet returns the set that a search finds without evaluating all sets of a size.
func UnprovedSet(ctx context.Context, g *core.Game, q SetsQuestion) ([]int, error) {
	to, err := newGoal(g, q.Class, q.Level, q.Kind == SetsNecessary)
	if err != nil {
		return nil, err
	}
	base := make([]uint64, (g.Instances()+63)/64)
	if to.opposite {
		rows.Fill(base, g.Instances())
	}
	s := newSearch(g, to, base, func(int) bool { return true })
	return s.find(ctx, len(s.order))
}
