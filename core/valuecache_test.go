package core_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/internal/must"
)

// TestValueCache checks that the value cache returns the evaluator's value of every coalition, for
// any size and any order of requests.
func TestValueCache(t *testing.T) {
	for _, k := range []int{1, 2, 3, 4, 65, 200} {
		g := must.Get(core.NewGame(games.Logits(k), core.GameOptions{}))(t)
		rng := rand.New(rand.NewPCG(uint64(k), 0))
		seen := map[string]bool{}
		for range 30 {
			z := core.NewCoalitions(k, 8)
			for range 8 {
				switch i := rng.IntN(k); rng.IntN(4) {
				case 0:
					z.AppendMembers(i)
				case 1:
					if k > 1 {
						z.AppendWithout(i)
						break
					}
					z.AppendWithout()
				case 2:
					z.AppendWithout()
				default:
					z.AppendMembers(i, rng.IntN(k), rng.IntN(k))
				}
				seen[z.String(z.Len()-1)] = true
			}
			got := must.Get(g.Values(context.Background(), z))(t)
			want := make([]float64, len(got))
			must.Do(t, games.Logits(k).Evaluate(context.Background(), want, z))
			for j := range z.Len() {
				must.Get(core.Read(nil, core.ScaleLogits, want[3*j:3*j+3],
					core.OutputProbability))(t)
			}
			for i := range want {
				coretest.Near(t, "value", got[i], want[i], 0)
			}
		}
		must.Equal(t, g.Evaluations(), len(seen), k)
	}
}

// TestSinglesOfLargeBags checks that singles and removed instances of a large bag are evaluated in
// chunks and shared with other masks.
func TestSinglesOfLargeBags(t *testing.T) {
	const chunk = 1024 // coalitions that large bags evaluate at a time
	const k = 2*chunk + 7
	ctx := context.Background()
	g := must.Get(core.NewGame(games.Logits(k), core.GameOptions{}))(t)
	one := must.Get(g.Singles(ctx))(t)
	rest := must.Get(g.Removed(ctx))(t)
	z := core.NewCoalitions(k, 2)
	z.AppendMembers(k - 1)
	z.AppendWithout(chunk)
	got := must.Get(g.Values(ctx, z))(t)
	must.Equal(t, g.Evaluations(), 2*k)
	coretest.Near(t, "single", got[1], one[3*(k-1)+1], 0)
	coretest.Near(t, "removed", got[3+2], rest[3*chunk+2], 0)
}
