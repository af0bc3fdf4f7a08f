package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/internal/must"
)

// TestPairs checks that pairs are distinct, that small sizes are listed first, that the weights of
// a size sum to its kernel on average, and that a large n lists all pairs.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ k, n int }{
		{2, 9}, {3, 9}, {12, 40}, {12, 74}, {12, 2000}, {12, 2046}, {12, 2047}, {13, 4000},
		{30, 110}, {264, 700},
	} {
		t.Run(fmt.Sprintf("k=%d n=%d", c.k, c.n), func(t *testing.T) {
			const seeds = 200
			sums := make([]float64, c.k/2+1)
			for seed := range uint64(seeds) {
				p := must.Get(NewPairs(t.Context(), c.k, c.n, rand.New(rand.NewPCG(seed, 1))))(t)
				n, all := p.Coalitions.Len(), 1<<(min(c.k, 40)-1)-1
				if n > c.n || n < min(c.n-1, all) || p.Complete() != (n == all) {
					t.Fatalf("%d pairs, complete: %v", n, p.Complete())
				}
				checkDistinct(t, p)
				for j, size := range p.Size {
					sums[size] += p.Weight[j] / seeds * float64(halved(c.k, size))
				}
			}
			for size := 1; size <= c.k/2; size++ {
				want := 1 / float64(size*(c.k-size))
				// A size of e expected pairs varies by less than one pair in a sample.
				must.Equal(t, math.Abs(sums[size]-want) <= .3*want, true, size, want)
			}
		})
	}
}

// checkDistinct fails if two coalitions of pairs and their complements are equal.
func checkDistinct(t *testing.T, p *Pairs) {
	t.Helper()
	k := p.Coalitions.Instances()
	seen := core.NewCoalitionSet(k, 2*p.Coalitions.Len())
	for j, size := range p.Size {
		row := append([]uint64(nil), p.Coalitions.Row(j)...)
		must.Equal(t, rows.Overlap(row, row), size, j)
		_, fresh := seen.Add(row)
		rows.Complement(row, k)
		if _, freshToo := seen.Add(row); !fresh || !freshToo {
			t.Fatalf("pair %d repeats another", j)
		}
	}
}
