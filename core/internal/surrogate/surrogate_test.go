package surrogate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/gonum/mat"
)

// drawn returns the coalitions of a sampler.
func drawn(t *testing.T, s sampling.Sampler, coins sampling.Coins) *core.Coalitions {
	t.Helper()
	sample := must.Get(s.Draw(t.Context(), coins))(t)
	return sample.Coalitions
}

// leastSquares is a plain implementation of the solver: the smallest minimiser of sum w (y - a - X
// phi)², by the singular values of the weighted, centred, unpacked system. With empty set the
// intercept is empty and the scores sum to delta.
func leastSquares(z *core.Coalitions, w, y []float64, empty *float64, delta float64) []float64 {
	n, k := z.Len(), z.Instances()
	x, r := mat.NewDense(n, k, nil), mat.NewVecDense(n, nil)
	mean, total, ybar := make([]float64, k), 0.0, 0.0
	for j := range n {
		total += w[j]
		ybar += w[j] * y[j]
		for i := range k {
			if z.Has(j, i) {
				x.Set(j, i, 1)
				mean[i] += w[j]
			}
		}
	}
	for j := range n {
		root := math.Sqrt(w[j])
		share := float64(z.Size(j)) / float64(k)
		for i := range k {
			if empty != nil {
				x.Set(j, i, root*(x.At(j, i)-share))
			} else {
				x.Set(j, i, root*(x.At(j, i)-mean[i]/total))
			}
		}
		if empty != nil {
			r.SetVec(j, root*(y[j]-*empty-delta*share))
		} else {
			r.SetVec(j, root*(y[j]-ybar/total))
		}
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	rank := 0
	for _, s := range svd.Values(nil) {
		if s > 1e-9*svd.Values(nil)[0] {
			rank++
		}
	}
	var phi mat.Dense
	svd.SolveTo(&phi, r, rank)
	out := mat.Col(nil, 0, &phi)
	if empty != nil {
		for i := range out {
			out[i] += delta / float64(k)
		}
	}
	return out
}

// fitOne runs the solver for one class.
func fitOne(z *core.Coalitions, logw, y []float64, empty *float64, delta float64) (Fit, *Design) {
	weigh := Weighting{Kernel: func(j int) float64 { return logw[j] }, Scale: true}
	d, first, err := NewDesign(context.Background(), core.PlainArithmetic(), z, weigh, empty == nil)
	if err != nil {
		panic(err)
	}
	s := &Surrogate{Design: d, Classes: 1, Drawn: &Drawn{}}
	if empty != nil {
		s.Empty, s.Full = []float64{*empty}, []float64{*empty + delta}
	}
	values := make([]float64, len(first))
	for j, draw := range first {
		values[j] = y[draw]
	}
	fits, err := s.Solve(context.Background(), values)
	if err != nil {
		panic(err)
	}
	return fits[0], d
}

func TestSolverEqualsLeastSquares(t *testing.T) {
	half := .5
	for _, c := range []struct {
		name  string
		k, n  int
		p     float64 // share of members
		empty *float64
	}{
		{"free", 9, 40, .5, nil},
		{"free, few members", 30, 80, .1, nil},
		{"free, few absentees", 30, 80, .9, nil},
		{"free, fewer coalitions than instances", 40, 15, .5, nil},
		{"free, fewer and few absentees", 40, 15, .9, nil},
		{"as many coalitions as instances", 12, 12, .5, nil},
		{"constrained", 9, 40, .5, &half},
		{"constrained, few absentees", 30, 80, .9, &half},
		{"constrained, fewer coalitions than instances", 40, 15, .5, &half},
		{"constrained, fewer and few absentees", 40, 15, .9, &half},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(c.n)))
			p := make([]float64, c.k)
			for i := range p {
				p[i] = c.p
			}
			z := drawn(t, sampling.Sampler{Instances: c.k, Number: c.n}, sampling.Bernoulli(p, rng))
			logw, w, y := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
			for j := range logw {
				logw[j] = 3*rng.NormFloat64() - 500 // far below the smallest float64
				w[j] = math.Exp(logw[j] + 500)
				y[j] = rng.NormFloat64()
			}
			got, _ := fitOne(z, logw, y, c.empty, .7)
			want := leastSquares(z, w, y, c.empty, .7)
			for i := range want {
				coretest.Near(t, c.name, got.Phi[i], want[i], 1e-8)
			}
			if c.n > c.k {
				errors, freedom := sandwich(z, w, y, want, c.empty, .7)
				for i, want := range errors {
					coretest.Near(t, c.name+", standard error", got.StdErr[i]/want, 1, 1e-6)
				}
				coretest.Near(t, c.name+", freedom", got.Freedom/freedom, 1, 1e-6)
			}
			must.Equal(t, got.Truncated, false, c.name)
			if few := c.n < c.k; got.Short != few && c.n != c.k {
				t.Errorf("%s: short is %v", c.name, got.Short)
			}
		})
	}
}

// TestFewerCoalitionsThanUnknowns checks that a fit is called short only if coalitions are fewer
// than unknowns.
func TestFewerCoalitionsThanUnknowns(t *testing.T) {
	empty := 0.2
	for _, c := range []struct {
		n, k  int
		empty *float64
		short bool
	}{
		{9, 8, nil, false}, {8, 8, nil, true}, {7, 8, &empty, false}, {6, 8, &empty, true},
	} {
		z, y := core.NewCoalitions(c.k, c.n), make([]float64, c.n)
		for i := range min(c.n, c.k) {
			z.AppendMembers(i)
			y[i] = float64(i * i)
		}
		if c.n > c.k {
			z.AppendMembers(0, 1)
		}
		got, _ := fitOne(z, make([]float64, c.n), y, c.empty, .7)
		must.Equal(t, got.Short, c.short, c.n, c.k)
	}
}

// sandwich is a plain implementation of the standard errors, from unpacked rows and a matrix of the
// size of all values, with their degrees of freedom.
func sandwich(
	z *core.Coalitions, w, y, phi []float64, empty *float64, delta float64,
) (se []float64, freedom float64) {
	n, k := z.Len(), z.Instances()
	x, e := mat.NewDense(n, k+1, nil), make([]float64, n)
	mean, total, ybar := make([]float64, k), 0.0, 0.0
	for j := range n {
		total += w[j]
		ybar += w[j] * y[j]
		for i := range k {
			if z.Has(j, i) {
				mean[i] += w[j]
			}
		}
	}
	for j := range n {
		share := float64(z.Size(j)) / float64(k)
		e[j] = y[j] - ybar/total
		if empty != nil {
			e[j] = y[j] - *empty - delta*share
		} else {
			x.Set(j, k, 1)
		}
		for i := range k {
			v := -mean[i] / total
			if empty != nil {
				v = -share
			}
			if z.Has(j, i) {
				v++
			}
			x.Set(j, i, v)
			e[j] -= v * phi[i]
			if empty != nil {
				e[j] += v * delta / float64(k)
			}
		}
	}
	var wx, gram, inverse, influence, left mat.Dense
	wx.Apply(func(j, _ int, v float64) float64 { return v * w[j] }, x)
	gram.Mul(x.T(), &wx)
	if empty != nil { // singular along the vector of ones, which is orthogonal to all rows
		gram.Apply(func(i, j int, v float64) float64 {
			if i == k || j == k {
				return 0
			}
			return v + 1
		}, &gram)
		gram.Set(k, k, 1) // there is no intercept
	}
	if err := inverse.Inverse(&gram); err != nil {
		panic(err)
	}
	influence.Product(&inverse, wx.T()) // (instance, coalition)
	left.Product(x, &influence)
	// The shares of the variance that the fit leaves in residuals, and those that the solver takes
	// for them: their means under the weights are equal.
	exact, shares, squares := make([]float64, n), make([]float64, n), 0.0
	others, free := 0.0, 0.0
	for j := range n {
		for l := range n {
			v := -left.At(j, l)
			if l == j {
				v++
			}
			exact[j] += v * v
		}
		h := left.At(j, j)
		others, free = others+w[j]*h*(1-h), free+h*(1-h)
		squares += e[j] * e[j]
	}
	difference := 0.0
	for j, v := range exact {
		h := left.At(j, j)
		shares[j] = (1 - h) * (1 - h + h/w[j]*others/free)
		difference += w[j] * (shares[j] - v)
		shares[j] = max(shares[j], leastShare)
	}
	if !(math.Abs(difference) <= 1e-9*total) {
		panic("the shares of residuals are not right on average")
	}
	all := 0.0
	for _, v := range shares {
		all += v
	}
	fourth, alone, reciprocals := make([]float64, k), make([]float64, k), 0.0
	se = make([]float64, k)
	for j, share := range shares {
		for i := range se {
			v := influence.At(i, j) * influence.At(i, j)
			if share == leastShare {
				alone[i] += v * squares / all
				continue
			}
			se[i] += v * e[j] * e[j] / share
			fourth[i] += v * v * e[j] * e[j] * e[j] * e[j] / share / share
		}
	}
	for i, v := range alone {
		se[i] += v
		fourth[i] += v * v
	}
	for i, v := range se {
		freedom := min(2/(fourth[i]/v/v-1/float64(n)), float64(n-k-1))
		if freedom < 0 { // squares that are all equal
			freedom = float64(n - k - 1)
		}
		factor := math.Sqrt(2/freedom) * math.Gamma((freedom+1)/2) / math.Gamma(freedom/2)
		se[i] = math.Sqrt(v) / factor
		reciprocals += 1 / freedom
	}
	return se, float64(k) / reciprocals
}

// TestSolverOnDependentRows checks pairs of complements, which are affinely dependent: with fewer
// pairs than instances, the solution is both of least squares and of smallest norm.
func TestSolverOnDependentRows(t *testing.T) {
	for _, c := range []struct{ k, n int }{{20, 12}, {6, 12}} {
		rng := rand.New(rand.NewPCG(3, 3))
		half := c.k
		if c.n > c.k {
			half = 3 // instances beyond the third are always together
		}
		z := core.NewCoalitions(c.k, c.n)
		row := make([]uint64, 1)
		for range c.n / 2 {
			for i := range half {
				row[0] = row[0]&^(1<<i) | rng.Uint64()&1<<i
			}
			if half < c.k {
				row[0] |= 0b111000
			}
			z.Append(row)
			rows.Complement(row, c.k)
			z.Append(row)
		}
		logw, w, y := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
		for j := range w {
			w[j], y[j] = 1, rng.NormFloat64()
		}
		seen := map[string]float64{}
		for j := range y { // a repeated coalition has one value
			if v, ok := seen[z.String(j)]; ok {
				y[j] = v
			}
			seen[z.String(j)] = y[j]
		}
		got, _ := fitOne(z, logw, y, nil, 0)
		for i, want := range leastSquares(z, w, y, nil, 0) {
			coretest.Near(t, "dependent rows", got.Phi[i], want, 1e-6)
		}
		must.Equal(t, got.Truncated, true, "not counted as singular")
	}
}

// TestRepeatsAreWeights checks that a repeated coalition counts as often as it was drawn.
func TestRepeatsAreWeights(t *testing.T) {
	once, twice := core.NewCoalitions(3, 4), core.NewCoalitions(3, 5)
	for _, members := range [][]int{{0}, {1}, {0, 2}, {1, 2}} {
		once.AppendMembers(members...)
		twice.AppendMembers(members...)
	}
	twice.AppendMembers(0)
	y := []float64{.1, .5, .2, .9, .1}
	a, _ := fitOne(twice, make([]float64, 5), y, nil, 0)
	b, _ := fitOne(once, []float64{math.Ln2, 0, 0, 0}, y[:4], nil, 0)
	for i := range a.Phi {
		coretest.Near(t, "phi", a.Phi[i], b.Phi[i], 1e-12)
	}
}

// TestStandardErrors checks that standard errors predict how far scores vary from seed to seed.
func TestStandardErrors(t *testing.T) {
	const k, n, seeds = 8, 120, 300
	game := func(z *core.Coalitions,
		j int) float64 { // pairs interact, so that the surrogate is wrong
		v := 0.0
		for i := range k {
			if z.Has(j, i) {
				v += .1 * float64(i)
				if z.Has(j, (i+1)%k) {
					v += .5
				}
			}
		}
		return v
	}
	sum, square, stated := make([]float64, k), make([]float64, k), make([]float64, k)
	for seed := range seeds {
		z := drawn(t, sampling.Sampler{Instances: k, Number: n, Repeats: true},
			sampling.FairCoin(k, rand.New(rand.NewPCG(uint64(seed), 1))))
		y := make([]float64, n)
		for j := range y {
			y[j] = game(z, j)
		}
		got, _ := fitOne(z, make([]float64, n), y, nil, 0)
		for i, v := range got.Phi {
			sum[i] += v
			square[i] += v * v
			stated[i] += got.StdErr[i] / seeds
		}
	}
	for i := range k {
		spread := math.Sqrt((square[i] - sum[i]*sum[i]/seeds) / (seeds - 1))
		coretest.Near(t, "stated error against spread", stated[i]/spread, 1, .15)
	}
}

// TestErrorsOfAlmostCompleteSample: where each sample has almost surely every coalition, errors are
// almost zero, and numbers although their fourth powers are not representable.
func TestErrorsOfAlmostCompleteSample(t *testing.T) {
	z := sampling.AllProper(4)
	y := make([]float64, z.Len())
	for j := range y {
		y[j] = float64(z.Size(j) * z.Size(j))
	}
	_, design := fitOne(z, make([]float64, len(y)), y, nil, 0)
	for missed, most := range map[float64]float64{1: 10, 1e-170: 1e-80, 0: 0} {
		s := &Surrogate{Design: design, Classes: 1,
			Drawn: &Drawn{Missed: slices.Repeat([]float64{missed}, z.Len())}}
		for i, v := range must.Get(s.Solve(t.Context(), y))(t)[0].StdErr {
			if !(v >= 0 && v <= most) || missed > 0 && v == 0 {
				t.Errorf("a coalition missed by %v: error of %d is %v", missed, i, v)
			}
		}
	}
}

func TestR2(t *testing.T) {
	z := sampling.AllProper(4)
	n := z.Len()
	additive, constant, parity := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		constant[j] = .25
		additive[j] = .1 * float64(z.Size(j))
		parity[j] = float64(z.Size(j) % 2)
	}
	for _, c := range []struct {
		name string
		y    []float64
		want float64
	}{{"additive", additive, 1}, {"constant", constant, 1}, {"parity", parity, 0}} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := fitOne(z, make([]float64, n), c.y, nil, 0)
			coretest.Near(t, c.name, got.R2, c.want, 1e-9)
		})
	}
}

// TestFitStopsWithItsContext checks that a fit returns an error if its context ends at any check
// of a product or a factorisation.
func TestFitStopsWithItsContext(t *testing.T) {
	for _, c := range []struct{ n, k int }{{150, 90}, {90, 150}} {
		rng := rand.New(rand.NewPCG(8, 8))
		z := drawn(t, sampling.Sampler{Instances: c.k, Number: c.n}, sampling.FairCoin(c.k, rng))
		weigh := Weighting{Kernel: func(int) float64 { return 0 }, Scale: true}
		y := make([]float64, c.n)
		for j := range y {
			y[j] = rng.NormFloat64()
		}
		fitWithin := func(looks int) (left int, err error) {
			ctx := &games.Ending{Context: context.Background(), Looks: looks}
			d, _, err := NewDesign(ctx, core.PlainArithmetic(), z, weigh, true)
			if err == nil {
				_, err = (&Surrogate{Design: d, Classes: 1, Drawn: &Drawn{}}).Solve(ctx, y)
			}
			return ctx.Looks, err
		}
		const plenty = 1000
		left := must.Get(fitWithin(plenty))(t)
		must.Equal(t, plenty-left >= 10, true, c, plenty-left)
		for looks := range plenty - left {
			if _, err := fitWithin(looks); err == nil {
				t.Errorf("%v: a context that ends at look %d is no error", c, looks)
			}
		}
	}
}
