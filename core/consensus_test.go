package core

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// slowFit is the smallest weighted least-squares fit with a free intercept, by the singular values of the centred
// and weighted masks, and how many of them there are.
func slowFit(z *Coalitions, w, y []float64) (scores []float64, rank int) {
	n, k := z.Len(), z.Instances()
	x := mat.NewDense(n, k, nil)
	b := mat.NewDense(n, 1, nil)
	total, meanY, mean := 0.0, 0.0, make([]float64, k)
	for j := range n {
		total += w[j]
		meanY += w[j] * y[j]
		for _, i := range z.Members(nil, j) {
			mean[i] += w[j]
		}
	}
	for j := range n {
		root := math.Sqrt(w[j])
		b.Set(j, 0, root*(y[j]-meanY/total))
		for i := range k {
			bit := 0.0
			if z.Has(j, i) {
				bit = 1
			}
			x.Set(j, i, root*(bit-mean[i]/total))
		}
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	var phi mat.Dense
	rank = svd.Rank(1e-8)
	svd.SolveTo(&phi, b, rank)
	return mat.Col(nil, 0, &phi), rank
}

// slowReliability is the correlation of the fits to either half.
func slowReliability(z *Coalitions, w, y []float64) float64 {
	half := z.Len() / 2
	a, _ := slowFit(z.Slice(0, half), w[:half], y[:half])
	b, _ := slowFit(z.Slice(half, z.Len()), w[half:], y[half:])
	return max(0, stat.Correlation(a, b, nil))
}

// The halves' fits, however they are shared with the whole's, are those of either half alone.
func TestReliability(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, c := range []struct{ n, k int }{{100, 12}, {61, 20}, {30, 20}, {16, 20}, {200, 70}} {
		for _, p := range []float64{.3, .8} { // listed by members, and by absentees
			drawn := sampleOf(t, c.n, c.k, p, rng)
			y, w := make([]float64, 2*c.n), make([]float64, c.n)
			for j := range w {
				w[j] = .2 + rng.Float64()
				for _, i := range drawn.Members(nil, j) {
					y[2*j] += math.Sin(float64(i))
				}
				y[2*j] += rng.NormFloat64()
				y[2*j+1] = rng.NormFloat64()
			}
			d, _, err := newDesign(t.Context(), plain{}, drawn, weighting{func(j int) float64 { return math.Log(w[j]) }, true}, true)
			if err != nil {
				t.Fatal(err)
			}
			s := &surrogate{design: d, classes: 2, sampled: true}
			rho, err := s.reliability(t.Context(), y)
			if err != nil {
				t.Fatal(err)
			}
			shared, err := s.solve(t.Context(), y)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := (&surrogate{design: d, classes: 2, sampled: true}).solve(t.Context(), y)
			if err != nil {
				t.Fatal(err)
			}
			for class := range 2 {
				values := make([]float64, c.n)
				for j := range values {
					values[j] = y[2*j+class]
				}
				near(t, fmt.Sprintf("%+v, class %d", c, class), rho[class], slowReliability(drawn, w, values), 1e-6)
				for i, want := range alone[class].phi {
					near(t, "shared products", shared[class].phi[i], want, 1e-9)
				}
				for i, want := range alone[class].stderr {
					near(t, "shared products", shared[class].stderr[i], want, 1e-9)
				}
			}
		}
	}
}

// sampleOf draws n different coalitions with one probability for all instances.
func sampleOf(t *testing.T, n, k int, p float64, rng *rand.Rand) *Coalitions {
	t.Helper()
	all := make([]float64, k)
	for i := range all {
		all[i] = p
	}
	s, err := Sampling{}.drawSome(t.Context(), k, n, bernoulli(all, rng))
	if err != nil || s.z.Len() != n {
		t.Fatalf("%d coalitions: %v", s.z.Len(), err)
	}
	return s.z
}

// Consensus against its definition, with the coalitions that it drew and fits by singular values.
func TestConsensusSlowly(t *testing.T) {
	for _, k := range []int{3, 9, 14, 40} {
		f := logits(k)
		f.task.Negative = 0
		report, err := Explain(t.Context(), f, Request{Methods: []Method{Consensus{}}, GameOptions: GameOptions{Seed: 8, Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGame(f, GameOptions{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		for class := range 3 {
			want := slowConsensus(t, g, class)
			for i, v := range report.Explanations[class].Scores {
				near(t, fmt.Sprintf("k %d, class %d, instance %d", k, class, i), v, want[i], 1e-7)
			}
			if e := report.Explanations[class]; (e.StdErr == nil) != (k < 11) || !(e.R2 > 0 && e.R2 <= 1) {
				t.Errorf("k %d, class %d: standard errors %v, R² %v", k, class, e.StdErr, e.R2)
			}
		}
	}
}

func slowConsensus(t *testing.T, g *Game, class int) []float64 {
	t.Helper()
	ctx, k := t.Context(), g.Instances()
	singles, err := g.Singles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rank, single := make([]float64, k), make([]float64, k)
	for i := range k {
		rank[i], single[i] = 1-singles[i*g.Classes()+g.Negative()], singles[i*g.Classes()+class]
	}
	order, rng := Order(rank, g.Rand("consensus ties")), g.Rand("consensus")
	e, weight := make([]float64, k), 0.0
	for _, curve := range consensusCurves {
		byRank, p := curve.tied(rank, order)
		z, rho := allProper(min(k, 11)), 1.0
		if k > 10 {
			drawn, err := Sampling{}.draw(ctx, k, bernoulli(byRank, rng))
			if err != nil {
				t.Fatal(err)
			}
			z = drawn.z.renamed(order)
		}
		values, err := g.Values(ctx, z)
		if err != nil {
			t.Fatal(err)
		}
		w, y := make([]float64, z.Len()), make([]float64, z.Len())
		for j := range w {
			y[j] = values[j*g.Classes()+class]
			for i := range k {
				if z.Has(j, i) {
					w[j] += p[i] / float64(z.Size(j))
				}
			}
			if k <= 10 {
				for i := range k {
					if z.Has(j, i) {
						w[j] *= p[i]
					} else {
						w[j] *= 1 - p[i]
					}
				}
			}
		}
		phi, rank := slowFit(z, w, y)
		switch {
		case rank < k:
			rho = 0
		case k > 10:
			rho = slowReliability(z, w, y)
		}
		for i := range e {
			e[i] += rho * rho * phi[i]
		}
		weight += rho * rho
	}
	for i := range e {
		e[i] /= weight
	}
	c := math.Pow(max(0, stat.Correlation(e, single, nil)), 4)
	mean, scale := stat.Mean(e, nil), stat.StdDev(e, nil)/stat.StdDev(single, nil)
	out := slices.Clone(e)
	for i := range out {
		out[i] = (e[i] + c*(mean+scale*(single[i]-stat.Mean(single, nil)))) / (1 + c)
	}
	return out
}

// What no two halves agree on is said to be chance, and a bag with more instances than coalitions to be
// underdetermined.
func TestConsensusNotes(t *testing.T) {
	noise := &fake{Task{14, 1, ScaleRaw, -1}, func(members []int) []float64 {
		h := uint64(len(members))
		for _, i := range members {
			h = (h ^ uint64(i+1)) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		return []float64{float64(h>>11) / (1 << 53)}
	}}
	for _, c := range []struct {
		ev   *fake
		note string
		held bool // standard errors
	}{{noise, "", true}, {logits(1200), "fewer coalitions than instances", false}} {
		report, err := Explain(t.Context(), c.ev, Request{Methods: []Method{Consensus{}}, Classes: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := report.Explanations[0]
		if got := strings.Join(e.Notes, "; "); !strings.HasPrefix(got, c.note) || (e.StdErr != nil) != c.held {
			t.Errorf("notes %q, standard errors %v", got, e.StdErr)
		}
	}
	v := vote{phi: make([]float64, 2), variance: make([]float64, 2)}
	v.add(&fit{phi: []float64{1, 3}, stderr: []float64{1, 1}, r2: .5}, 0)
	v.add(&fit{phi: []float64{3, 1}, stderr: []float64{1, 1}, r2: .7}, 0)
	a := &Attribution{}
	v.settle(a, []float64{1, 0})
	if len(a.Notes) != 1 || a.StdErr[0] != nil || math.Abs(a.Scores[0][0]-2) > 1e-9 || math.Abs(a.R2[0]-.6) > 1e-9 {
		t.Errorf("two curves of chance: %+v", a)
	}
}
