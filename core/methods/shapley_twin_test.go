package methods

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/games"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/must"
	"gonum.org/v1/gonum/mat"
)

// A plainFit is the surrogate of a sample of pairs as the comments of sizeFit and pairDesign define
// it, with dense matrices.
type plainFit struct {
	k, m           int
	x, effect      *mat.Dense // (pair, instance)
	group          []int      // (pair)
	members, share []float64  // (group)
	scatter        []float64  // (pair)
	even           bool       // the last group has the size k/2
}

// newPlainFit returns the surrogate of a sample. The effects of a sample that does not determine
// them are the smallest ones, by a pseudoinverse.
func newPlainFit(p *sampling.Pairs) *plainFit {
	f := &plainFit{k: p.Coalitions.Instances(), m: len(p.Size)}
	of := map[int]int{} // (size) group
	for j, size := range p.Size {
		if _, known := of[size]; !known {
			last := len(f.members) - 1
			fresh := last < 0 || f.members[last] >= 5 || 2*size == f.k
			if !fresh {
				fresh = p.Missed[j] == 0 || p.Missed[j-1] == 0
			}
			if fresh {
				f.members = append(f.members, 0)
				last++
			}
			of[size] = last
		}
		f.group = append(f.group, of[size])
		f.members[of[size]]++
		f.even = 2*size == f.k
	}
	f.share = make([]float64, len(f.members))
	for size := 1; size < f.k; size++ {
		at := 0
		for below := 1; below <= min(size, f.k-size); below++ {
			at = max(at, of[below])
		}
		f.share[at] += 1 / float64(f.k-1)
	}
	f.x = mat.NewDense(f.m, f.k, nil)
	weighted, total := mat.NewDense(f.m, f.k, nil), 0.0
	for _, w := range p.Weight {
		total += w
	}
	for j, size := range p.Size {
		for i := range f.k {
			v := -float64(size) / float64(f.k)
			if p.Coalitions.Has(j, i) {
				v++
			}
			f.x.Set(j, i, v)
			weighted.Set(j, i, v*p.Weight[j]/total)
		}
	}
	var gram mat.Dense
	gram.Mul(f.x.T(), weighted)
	f.effect = product(weighted, pseudoinverse(&gram))
	f.setScatter(p, total)
	return f
}

// setScatter sets how much the residual of each pair counts.
func (f *plainFit) setScatter(p *sampling.Pairs, total float64) {
	leverage, mean, all := make([]float64, f.m), 0.0, 0.0
	for j := range leverage {
		h := min(1, max(0, mat.Dot(f.effect.RowView(j), f.x.RowView(j))))
		leverage[j] = h
		mean += h * (1 - h) * p.Weight[j] / total
		all += h * (1 - h)
	}
	for j, h := range leverage {
		left := math.Pow(1-h, 2)
		if all > 0 {
			left += h * (1 - h) * mean / all / (p.Weight[j] / total)
		}
		v := p.Missed[j] / max(left, 1e-6)
		if n := f.members[f.group[j]]; n > 1 {
			v *= n / (n - 1)
		}
		f.scatter = append(f.scatter, math.Sqrt(v))
	}
}

// product returns a b.
func product(a, b mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Mul(a, b)
	return &out
}

// pseudoinverse returns that of a symmetric matrix.
func pseudoinverse(m *mat.Dense) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(m, mat.SVDFull)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for i, s := range values {
		for row := range len(values) {
			if s > 1e-11*values[0] {
				v.Set(row, i, v.At(row, i)/s)
			} else {
				v.Set(row, i, 0)
			}
		}
	}
	return product(&v, u.T())
}

// centred returns the columns of a matrix (pair, columns) minus their means over each group.
func (f *plainFit) centred(m *mat.Dense) *mat.Dense {
	_, columns := m.Dims()
	out := mat.DenseCopyOf(m)
	for g, n := range f.members {
		if f.even && g == len(f.members)-1 {
			break
		}
		for c := range columns {
			mean := 0.0
			for j := range f.m {
				if f.group[j] == g {
					mean += m.At(j, c) / n
				}
			}
			for j := range f.m {
				if f.group[j] == g {
					out.Set(j, c, m.At(j, c)-mean)
				}
			}
		}
	}
	return out
}

// fit returns the effects of halved differences y, and the influence (pair, instance) of each pair.
func (f *plainFit) fit(y *mat.Dense) (effects, influence *mat.Dense) {
	effects = product(f.effect.T(), y)
	var left mat.Dense
	left.Sub(y, product(f.x, effects))
	other := product(f.effect.T(), f.centred(y))
	var otherLeft mat.Dense
	otherLeft.Sub(f.centred(y), f.centred(product(f.x, other)))
	if mat.Norm(&otherLeft, 2) < mat.Norm(&left, 2) {
		effects, left = other, otherLeft
	}
	influences := func() *mat.Dense {
		out := mat.NewDense(f.m, f.k, nil)
		out.Apply(func(j, i int, v float64) float64 {
			return v * left.At(j, 0) * f.scatter[j]
		}, f.effect)
		return out
	}
	influence = influences()
	for range 2 {
		u, v := f.centred(product(f.x, effects)), f.centred(y)
		spread := 0.0
		for j := range f.m {
			d := v.At(j, 0) - u.At(j, 0)
			spread += (d*d + 1e-16*u.At(j, 0)*u.At(j, 0)) / float64(f.m)
		}
		slope, mean := make([]float64, len(f.members)), 0.0
		for g := range slope {
			above, below := spread, spread
			for j := range f.m {
				if f.group[j] == g {
					above += u.At(j, 0) * v.At(j, 0)
					below += u.At(j, 0) * u.At(j, 0)
				}
			}
			if below > 0 {
				slope[g] = above / below
			}
			mean += slope[g] * f.share[g]
		}
		for j, g := range f.group {
			left.Set(j, 0, v.At(j, 0)-slope[g]*u.At(j, 0))
		}
		effects.Scale(mean, effects)
		effects.Add(effects, product(f.effect.T(), &left))
		scaled := f.centred(f.x)
		scaled.Apply(func(j, _ int, v float64) float64 { return v * slope[f.group[j]] }, scaled)
		step := product(scaled.T(), f.effect)
		step.Apply(func(i, j int, v float64) float64 {
			if i == j {
				return mean - v
			}
			return -v
		}, step)
		influence = product(influence, step)
		influence.Add(influence, influences())
	}
	return effects, influence
}

// TestShapleyRegressionEqualsItsDefinition compares scores, standard errors and degrees of freedom
// of samples with the surrogate's definition: games of all kinds, listed and drawn sizes, and pairs
// without an answer.
func TestShapleyRegressionEqualsItsDefinition(t *testing.T) {
	for _, k := range []int{2, 5, 11, 12, 20, 31} {
		for name, f := range map[string]*games.Fake{"steep": games.Steep(k),
			"saturated": games.Saturated(k), "logits": games.Logits(k),
			"selecting": selecting(k)} {
			if k == 2 && name == "selecting" {
				continue // half of the coalitions have no answer
			}
			for _, n := range []int{14, 61, 150, 600} {
				t.Run(fmt.Sprintf("%s %d %d", name, k, n), func(t *testing.T) {
					compareShapley(t, f, n)
				})
			}
		}
	}
}

// compareShapley compares Shapley with the definition, for n coalitions of a game.
func compareShapley(t *testing.T, f *games.Fake, n int) {
	m := Shapley{Samples: n, Efficiency: EmptyZero}
	k, classes := f.Shape.Instances, []int{1, 0}
	g := games.New(t, f)
	if k <= sampling.MostEnumerated {
		n = sampling.ProperSubsets(k)
	}
	pairs := must.Get(sampling.NewPairs(t.Context(), k, (n+1)/2, g.Rand("shapley first")))(t)
	value := func(members []int) []float64 {
		z := core.NewCoalitions(k, 1)
		z.AppendMembers(members...)
		return must.Get(g.Answers(t.Context(), z))(t)
	}
	var kept []int
	var halves [][]float64 // (pair, class)
	for j := range pairs.Size {
		var in, out []int
		for i := range k {
			if pairs.Coalitions.Has(j, i) {
				in = append(in, i)
			} else {
				out = append(out, i)
			}
		}
		a, b := value(in), value(out)
		var half []float64
		for _, class := range classes {
			half = append(half, (a[class]-b[class])/2)
		}
		if !math.IsNaN(half[0]) {
			kept, halves = append(kept, j), append(halves, half)
		}
	}
	missing := len(pairs.Size) - len(kept)
	if missing > 0 {
		pairs = pairs.Kept(kept)
	}
	got, err := m.Attribute(t.Context(), games.New(t, f), classes)
	if 2*missing > missing+len(kept) {
		must.Fail(t, err)
		return
	}
	must.Do(t, err)
	fit, full := newPlainFit(pairs), must.Get(g.Full(t.Context()))(t)
	freedom := float64(len(kept) - (k - 1) - 2*len(fit.members))
	few := slices.ContainsFunc(got.Notes, func(s string) bool {
		return strings.Contains(s, "coalitions are too few")
	})
	must.Equal(t, few, (freedom <= 0 && !pairs.Complete()), got.Notes, freedom)
	for at, class := range classes {
		y := mat.NewDense(len(kept), 1, nil)
		for j, half := range halves {
			y.Set(j, 0, half[at]-full[class]*(float64(pairs.Size[j])/float64(k)-.5))
		}
		coretest.Near(t, "sum", linear.Total(got.Scores[at]), full[class], 1e-6)
		scores, influence := fit.fit(y)
		harmonic, scattered := 0.0, 0.0
		for i := range k {
			if freedom > 0 || pairs.Complete() { // else rounding chooses between exact fits
				coretest.Near(t, fmt.Sprint("score ", i), got.Scores[at][i],
					scores.At(i, 0)+full[class]/float64(k), 1e-9)
			}
			if pairs.Complete() {
				continue
			}
			square, fourth := 0.0, 0.0
			for j := range kept {
				square += math.Pow(influence.At(j, i), 2)
				fourth += math.Pow(influence.At(j, i), 4)
			}
			want, df := stats.ErrorOfInfluences(square, fourth, float64(len(kept)), freedom)
			if freedom <= 0 {
				want = math.Inf(1)
			}
			if square > 0 {
				harmonic, scattered = harmonic+1/df, scattered+1
			}
			if d := math.Abs(got.StdErr[at][i] - want); d > 1e-9 {
				t.Errorf("error %d is %g, want %g", i, got.StdErr[at][i], want)
			}
		}
		if pairs.Complete() {
			must.Equal(t, got.StdErr == nil, true, got.StdErr)
			must.Equal(t, got.Freedom == nil, true, got.StdErr)
		} else if freedom > 0 && scattered > 0 && slices.Max(got.StdErr[at]) > 1e-6 {
			coretest.Near(t, "freedom", got.Freedom[at], scattered/harmonic, 1e-4)
		}
	}
}
