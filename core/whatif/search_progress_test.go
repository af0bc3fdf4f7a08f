package whatif_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSearchProgress checks that sets and turned answers report a total from the first evaluation
// on, and that what follows never exceeds a total that was reported.
func TestSearchProgress(t *testing.T) {
	ctx := context.Background()
	for _, game := range []*coretest.Game{
		coretest.Unanimity(8, 1, 4, 6), coretest.Unanimity(40, 3, 20, 30), coretest.Unanimity(1, 0),
		coretest.Unanimity(12, 0, 1, 2, 3, 4, 5, 6),
	} {
		for name, ask := range map[string]func(*core.Game) error{
			"sufficient": func(g *core.Game) error {
				_, err := whatif.SetsQuestion{Level: &half}.Answer(ctx, g)
				return err
			},
			"several": func(g *core.Game) error {
				_, err := whatif.SetsQuestion{Level: &half, Several: 3}.Answer(ctx, g)
				return err
			},
			"necessary": func(g *core.Game) error {
				_, err := whatif.SetsQuestion{Kind: whatif.SetsNecessary, Level: &half}.Answer(ctx,
					g)
				return err
			},
			"unreached": func(g *core.Game) error {
				never := 2.0
				_, err := whatif.SetsQuestion{Level: &never}.Answer(ctx, g)
				return err
			},
			"turn": func(g *core.Game) error {
				_, err := whatif.TurnQuestion{Level: &half}.Answer(ctx, g)
				return err
			},
		} {
			t.Run(fmt.Sprint(game.Players, "/", name), func(t *testing.T) {
				var dones, totals []int
				progress := func(done, total int) {
					dones, totals = append(dones, done), append(totals, total)
				}
				g := must.Get(core.NewGame(game, core.GameOptions{Workers: 1,
					Progress: progress}))(t)
				// Full precedes the search, whose end is not known.
				must.Get(g.Full(ctx))(t)
				dones, totals = nil, nil
				must.Do(t, ask(g))
				g.Finish()
				last := len(dones) - 1
				must.Equal(t, last >= 0, true, dones, totals)
				must.Equal(t, dones[last], totals[last], dones, totals)
				for n, total := range totals {
					must.Equal(t, total >= dones[last], true, n, last, total, dones[last])
				}
			})
		}
	}
}
