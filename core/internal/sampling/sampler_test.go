package sampling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/internal/must"
)

func drawnBy(t *testing.T, s Sampler, k int, coins Coins) Sample {
	t.Helper()
	s.Instances = k
	return must.Get(s.Draw(context.Background(), coins))(t)
}

// rising returns probabilities from the least one up to its complement.
func rising(least float64, k int) []float64 {
	p := make([]float64, k)
	for i := range p {
		p[i] = least + (1-2*least)*float64(i)/float64(k-1)
	}
	return p
}

func listRows(z *core.Coalitions) []string {
	var out []string
	for j := range z.Len() {
		out = append(out, fmt.Sprint(z.Members(nil, j)))
	}
	return out
}

// TestGuidedOrders checks the orders of METHODS section 1: Guided SHAP for k = 5 and Guided LIME
// for k = 4.
func TestGuidedOrders(t *testing.T) {
	want := []string{
		"[0]", "[0 1 2 3]", "[1]", "[0 1 2 4]", "[2]", "[0 1 3 4]", "[3]", "[0 2 3 4]", "[4]",
		"[1 2 3 4]",
		"[0 1 2]", "[0 1 3]", "[0 1 4]", "[0 2 3]", "[0 2 4]", "[0 3 4]", "[1 2 3]", "[1 2 4]",
		"[1 3 4]", "[2 3 4]",
		"[0 1]", "[0 2]", "[0 3]", "[0 4]", "[1 2]", "[1 3]", "[1 4]", "[2 3]", "[2 4]", "[3 4]",
	}
	for n := 1; n <= len(want); n++ {
		got := listRows(Sampler{Instances: 5, Number: n}.guided(nil, true).shap())
		must.EqualSlices(t, got, want[:n], n)
	}
	want = []string{"[0 1 2]", "[0 1 3]", "[0 2 3]", "[1 2 3]", "[0 1]", "[0 2]", "[0 3]", "[1 2]",
		"[1 3]", "[2 3]", "[0]", "[1]", "[2]", "[3]"}
	got := listRows(Sampler{Instances: 4, Number: 14}.guided(nil, true).lime())
	must.EqualSlices(t, got, want, "Guided LIME")
}

// TestGuidedUnfinishedSize checks that the default lists complete sizes and draws from the
// unfinished one: all coalitions differ, and every instance has the same chance.
func TestGuidedUnfinishedSize(t *testing.T) {
	for _, c := range []struct{ k, n int }{{2, 1}, {3, 4}, {7, 3}, {7, 20}, {12, 24 + 40},
		{40, 100}, {300, 900}} {
		for name, order := range map[string]func(guided) *core.Coalitions{"shap": guided.shap,
			"lime": guided.lime} {
			g := Sampler{Instances: c.k, Number: c.n}.guided(rand.New(rand.NewPCG(1, 2)), false)
			z := order(g)
			seen := core.NewCoalitionSet(c.k, 0)
			for j := range z.Len() {
				if _, fresh := seen.Add(z.Row(j)); !fresh || !proper(z.Row(j), c.k) {
					t.Errorf("%s k=%d n=%d: coalition %s repeats or is not proper", name, c.k, c.n,
						z.String(j))
				}
			}
			must.Equal(t, z.Len(), c.n, name, c.k)
		}
	}
	drawn := make([]int, 6)
	for seed := range 600 {
		rng := rand.New(rand.NewPCG(uint64(seed), 0))
		z := Sampler{Instances: 6, Number: 3}.guided(rng, false).lime()
		for j := range 3 {
			for i := range 6 {
				if !z.Has(j, i) {
					drawn[i]++
				}
			}
		}
	}
	for i, n := range drawn { // 300 expected, standard deviation 12
		must.Equal(t, n >= 250, true, i, n)
		must.Equal(t, n <= 350, true, i, n)
	}
}

func TestDraw(t *testing.T) {
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(5, 5)) }
	for _, c := range []struct {
		name     string
		k, n     int
		s        Sampler
		want     int
		complete bool
	}{
		{"plain", 70, 300, Sampler{}, 300, false},
		{"paired", 70, 300, Sampler{Paired: true}, 300, false},
		{"all of them", 5, 30, Sampler{}, 30, true},
		{"more than there are", 3, 100, Sampler{}, 6, true},
		{"nearly all", 6, 61, Sampler{}, 61, false},
		{"repeats", 3, 100, Sampler{Repeats: true}, 100, false},
		{"paired repeats", 3, 99, Sampler{Repeats: true, Paired: true}, 99, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Number = c.n
			got := drawnBy(t, c.s, c.k, FairCoin(c.k, rng()))
			must.Equal(t, got.Coalitions.Len(), c.want, c.name)
			must.Equal(t, got.Complete, c.complete, c.name)
			seen := core.NewCoalitionSet(c.k, 0)
			row := make([]uint64, (c.k+63)/64)
			for j := range got.Coalitions.Len() {
				if _, fresh := seen.Add(got.Coalitions.Row(j)); !fresh && !c.s.Repeats ||
					!proper(got.Coalitions.Row(j), c.k) {
					t.Fatalf("%s: coalition %s", c.name, got.Coalitions.String(j))
				}
				if c.s.Paired && j%2 == 1 {
					copy(row, got.Coalitions.Row(j))
					rows.Complement(row, c.k)
					must.EqualSlices(t, row, got.Coalitions.Row(j-1), c.name, j)
				}
			}
		})
	}
}

// TestDrawEndsWithTooFewCoalitions checks that a curve with too few distinct coalitions ends with
// those it found and a note.
func TestDrawEndsWithTooFewCoalitions(t *testing.T) {
	p := []float64{1e-12, 1e-12, 1e-12, 1e-12, 1e-12, .5, .5}
	got := drawnBy(t, Sampler{Number: 20}, 7, Bernoulli(p, rand.New(rand.NewPCG(1, 1))))
	must.Equal(t, got.Coalitions.Len(), 3, got.Notes)
	must.Equal(t, len(got.Notes), 1, got.Notes)
}

func TestBernoulli(t *testing.T) {
	p := []float64{.05, .5, .95, .2}
	fill := Bernoulli(p, rand.New(rand.NewPCG(9, 9))).Fill
	const n = 20000
	count := make([]float64, len(p))
	row := make([]uint64, 1)
	for range n {
		row[0] = 0
		fill(row)
		for i := range p {
			count[i] += float64(row[0] >> i & 1)
		}
	}
	for i := range p {
		coretest.Near(t, "share", count[i]/n, p[i], 4*math.Sqrt(p[i]*(1-p[i])/n))
	}
}

func TestBinomial(t *testing.T) {
	for _, c := range []struct{ n, m, want int }{{5, 2, 10}, {5, 0, 1}, {5, 5, 1}, {30, 15, 1000},
		{40, 2, 780}, {10000, 9999, 1000}} {
		must.Equal(t, binomial(c.n, c.m, 1000), c.want, c.n, c.m)
	}
}

// TestComplementBits checks that the complement of a coalition has no bits from k on, also if k is
// not a multiple of 64.
func TestComplementBits(t *testing.T) {
	for _, k := range []int{1, 63, 64, 65, 200} {
		z := core.NewCoalitions(k, 2)
		z.AppendWithout(k - 1)
		z.AppendMembers(0)
		row := slices.Clone(z.Row(0))
		rows.Complement(row, k)
		z.Append(row)
		if z.Size(0) != k-1 || z.Size(2) != 1 || !z.Has(2, k-1) || z.Has(0, k-1) || !z.Has(1, 0) {
			t.Errorf("k = %d: %s %s %s", k, z.String(0), z.String(1), z.String(2))
		}
		if got := z.Slice(1, 3); got.Len() != 2 || got.String(1) != z.String(2) {
			t.Errorf("k = %d: a slice of rows holds others", k)
		}
	}
}

// TestDrawStopsWithItsContext checks that few coalitions are drawn after the context has ended,
// for any number of coalitions.
func TestDrawStopsWithItsContext(t *testing.T) {
	for k, between := range map[int]int{70: 256, 100_000: 41, 1 << 30: 1} {
		must.Equal(t, rows.PerCheck(k), between, k)
		if k == 1<<30 {
			continue // a row has 128 MiB
		}
		calls := 0
		fair := FairCoin(k, rand.New(rand.NewPCG(1, 1)))
		counted := Coins{fair.P, func(row []uint64) {
			calls++
			fair.Fill(row)
		}}
		_, err := Sampler{Instances: k, Number: 300}.Draw(
			&games.Ending{Context: context.Background(), Looks: 1}, counted)
		must.Fail(t, err)
		if calls != between {
			t.Errorf("%d coalitions of %d instances were drawn with a context that ends at the "+
				"second look", calls, k)
		}
	}
}

// TestThresholds checks that the binary digits of thresholds give the probabilities exactly.
func TestThresholds(t *testing.T) {
	p := make([]float64, 70)
	for i := range p {
		p[i] = math.Exp(-float64(i)) * .7
	}
	p[3], p[65], p[66], p[67] = .5, 0, 1, math.NaN()
	places := thresholds(p)
	for i, q := range p {
		sum := 0.0
		for b := len(places[i/64]) - 1; b >= 0; b-- {
			sum = (sum + float64(places[i/64][b]>>(i%64)&1)) / 2
		}
		if want := max(q, 0); q == q {
			coretest.Near(t, "threshold", sum, want, 1e-16)
		} else if sum != 0 {
			t.Errorf("a probability that is no number became %v", sum)
		}
	}
}

// TestBernoulliIsIndependent checks that instances of one word are drawn independently: each pair
// occurs as often as the product of its probabilities.
func TestBernoulliIsIndependent(t *testing.T) {
	p := []float64{.008, .3, .31, .5, .75, .992}
	fill := Bernoulli(p, rand.New(rand.NewPCG(11, 12))).Fill
	const n = 200_000
	var both [6][6]float64
	row := make([]uint64, 1)
	for range n {
		row[0] = 0
		fill(row)
		for i := range p {
			for l := range p {
				both[i][l] += float64((row[0] >> i) & (row[0] >> l) & 1)
			}
		}
	}
	for i := range p {
		for l := range p {
			want := p[i] * p[l]
			if i == l {
				want = p[i]
			}
			coretest.Near(t, "share of a pair", both[i][l]/n, want, 5*math.Sqrt(want*(1-want)/n))
		}
	}
}

// TestDrawDoesNotAllocatePerCoalition checks that memory for a sample is allocated once.
func TestDrawDoesNotAllocatePerCoalition(t *testing.T) {
	const k, n = 200, 2000
	p := rising(.3, k)
	for name, s := range map[string]Sampler{"plain": {}, "paired": {Paired: true},
		"repeats": {Repeats: true}} {
		t.Run(name, func(t *testing.T) {
			s.Number = n
			allocations := testing.AllocsPerRun(3, func() {
				drawnBy(t, s, k, Bernoulli(p, rand.New(rand.NewPCG(1, 2))))
			})
			must.Equal(t, allocations <= n/20, true, name, allocations, n)
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, k := range []int{264, 100_000} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			p := rising(.05, k)
			b.ReportAllocs()
			for b.Loop() {
				s, err := Sampler{Instances: k, Number: 100}.Draw(context.Background(),
					Bernoulli(p, rand.New(rand.NewPCG(1, 2))))
				must.Do(b, err)
				must.Equal(b, s.Coalitions.Len(), 100)
			}
		})
	}
}

// TestLexicographic checks that subsets of more than half of the instances, which are listed by
// their complements, are in the same order: ascending and complete.
func TestLexicographic(t *testing.T) {
	const k = 7
	for s := 1; s < k; s++ {
		all := binomial(k, s, 1000)
		z := core.NewCoalitions(k, all)
		appendLexicographic(z, s, all+1, nil)
		must.Equal(t, z.Len(), all, s)
		for j := range all {
			must.Equal(t, z.Size(j), s)
			if j > 0 && slices.Compare(z.Members(nil, j-1), z.Members(nil, j)) >= 0 {
				t.Errorf("%s comes after %s", z.String(j), z.String(j-1))
			}
		}
	}
}
