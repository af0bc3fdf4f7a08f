package core

import (
	"cmp"
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

// slowNoise is the mean squared standard error of the scores: the diagonal of the sandwich estimator.
func slowNoise(z *Coalitions, w, y, phi []float64) float64 {
	n, k := z.Len(), z.Instances()
	total, meanY, mean := 0.0, 0.0, make([]float64, k)
	for j := range n {
		total += w[j]
		meanY += w[j] * y[j]
		for _, i := range z.Members(nil, j) {
			mean[i] += w[j]
		}
	}
	bread, meat := mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	for j := range n {
		x := mat.NewVecDense(k, nil)
		e := y[j] - meanY/total
		for i := range k {
			x.SetVec(i, -mean[i]/total)
			if z.Has(j, i) {
				x.SetVec(i, 1-mean[i]/total)
			}
			e -= phi[i] * x.AtVec(i)
		}
		var outer mat.Dense
		outer.Outer(w[j], x, x)
		bread.Add(bread, &outer)
		outer.Scale(w[j]*e*e, &outer)
		meat.Add(meat, &outer)
	}
	var inverse, out mat.Dense
	if inverse.Inverse(bread) != nil {
		return math.NaN()
	}
	out.Product(&inverse, meat, &inverse)
	return mat.Trace(&out) / float64(k) * float64(n) / float64(n-k-1)
}

// Consensus against its definition, with the coalitions that it drew and fits by singular values.
func TestConsensusSlowly(t *testing.T) {
	won, asked := 0, 0
	for n, f := range []*fake{logits(3), logits(10), logits(11), logits(14), logits(40), distracted(10), distracted(11), distracted(14), distracted(40)} {
		k := f.task.Instances
		f.task.Negative = -(n % 2)
		report, err := Explain(t.Context(), f, Request{Methods: []Method{Consensus{}}, GameOptions: GameOptions{Seed: 8, Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGame(f, GameOptions{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		taken := false
		for class := range f.task.Classes {
			want, alike := slowConsensus(t, g, class)
			asked++
			if alike {
				won++
				taken = true
			}
			for i, v := range report.Explanations[class].Scores {
				near(t, fmt.Sprintf("game %d, k %d, class %d, instance %d", n, k, class, i), v, want[i], 1e-7)
			}
			if e := report.Explanations[class]; (e.StdErr == nil) != (k < 11) || !(e.R2 > 0 && e.R2 <= 1) {
				t.Errorf("k %d, class %d: standard errors %v, R² %v", k, class, e.StdErr, e.R2)
			}
		}
		if noted := strings.Contains(strings.Join(report.Explanations[0].Notes, " "), "every instance alike"); noted != taken {
			t.Errorf("game %d: coalitions that take every instance alike won: %v, and the notes are %q", n, taken, report.Explanations[0].Notes)
		}
	}
	if won == 0 || won == asked {
		t.Errorf("coalitions that take every instance alike won %d times: one side is not tried", won)
	}
}

// What a model's output is counted in does not matter: scores are counted in it, too, and no choice depends on it.
func TestConsensusScales(t *testing.T) {
	won := 0
	for _, k := range []int{9, 14, 40} {
		f := distracted(k)
		f.task.Scale = ScaleRaw
		scores := func(unit float64) [][]float64 {
			scaled := *f
			scaled.value = func(members []int) []float64 {
				p := 1 / (1 + math.Exp(f.value(members)[0]-f.value(members)[1]))
				return []float64{unit * (1 - p), unit * p}
			}
			report, err := Explain(t.Context(), &scaled, Request{Methods: []Method{Consensus{}}, GameOptions: GameOptions{Seed: 3}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range report.Explanations {
				if strings.Contains(strings.Join(e.Notes, " "), "every instance alike") {
					won++
				}
			}
			return [][]float64{report.Explanations[0].Scores, report.Explanations[1].Scores}
		}
		one := scores(1)
		for _, unit := range []float64{1. / 1024, 1024} {
			for c, class := range scores(unit) {
				for i, v := range class {
					near(t, fmt.Sprintf("k %d, unit %g, class %d, instance %d", k, unit, c, i), v, unit*one[c][i], 1e-9*unit)
				}
			}
		}
	}
	if won == 0 {
		t.Error("coalitions that take every instance alike never won: their trial is not scaled")
	}
}

// distracted is a model that goes by every third instance where there are few, and by the next ones in company.
func distracted(k int) *fake {
	return &fake{Task{k, 2, ScaleLogits, 0, 0}, func(members []int) []float64 {
		few, many := 0.0, 0.0
		for _, i := range members {
			switch i % 3 {
			case 0:
				few += 3 + .02*float64(i)
			case 1:
				many += 120/float64(k) + .03*float64(i)
			}
		}
		if len(members) <= k/3 {
			return []float64{0, min(few, 9) - 5}
		}
		return []float64{0, many/10 - 1}
	}}
}

// odds are the log-odds of a probability.
func odds(p float64) float64 { return math.Log(p+leastOdds) - math.Log(1-p+leastOdds) }

// slowConsensus also reports whether the coalitions that take every instance alike won.
func slowConsensus(t *testing.T, g *Game, class int) ([]float64, bool) {
	t.Helper()
	ctx, k := t.Context(), g.Instances()
	singles, err := g.Singles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rank, single := make([]float64, k), make([]float64, k)
	for i := range k {
		rank[i], single[i] = slices.Max(singles[i*g.Classes():(i+1)*g.Classes()]), odds(singles[i*g.Classes()+class])
		if c := g.Negative(); c >= 0 {
			rank[i] = 1 - singles[i*g.Classes()+c]
		}
	}
	order, rng := Order(rank, g.Rand("consensus ties")), g.Rand("consensus")
	few, trustFew := slowCurve(t, g, MILLICurve{Alpha: .008, Beta: -5}, rank, order, rng, class)
	ramp, trustRamp := slowCurve(t, g, MILLICurve{Alpha: .02, Beta: .01}, rank, order, rng, class)
	dFew, dRamp := stat.PopStdDev(few, nil), stat.PopStdDev(ramp, nil)
	loudness := func(d float64) float64 {
		x := math.Pow(d/max(dFew, dRamp), 2)
		return x / (x + .09)
	}
	wFew, wRamp := .05*trustFew*trustFew*loudness(dFew), trustRamp*trustRamp*loudness(dRamp)
	d, out := (wFew*dFew+wRamp*dRamp)/(wFew+wRamp), make([]float64, k)
	for i := range out {
		out[i] = d * (wFew*few[i]/dFew + wRamp*ramp[i]/dRamp) / (wFew + wRamp)
	}
	square := math.Pow(max(0, stat.Correlation(out, single, nil)), 2)
	c := math.Pow(square/(1-square), 2)
	mean, scale := stat.Mean(out, nil), stat.StdDev(out, nil)/stat.StdDev(single, nil)
	for i := range out {
		out[i] = (out[i] + c*(mean+scale*(single[i]-stat.Mean(single, nil)))) / (1 + c)
	}
	alike, _ := slowCurve(t, g, MILLICurve{Alpha: .5}, rank, order, rng, class)
	was, is := slowTrial(t, g, out, class), slowTrial(t, g, alike, class)
	if is < was-.1 {
		return alike, true
	}
	return out, false
}

// slowTrial returns the mean output while instances are taken out, the highest scores first. No two scores are level.
func slowTrial(t *testing.T, g *Game, scores []float64, class int) (mean float64) {
	t.Helper()
	k, cuts := len(scores), min(len(scores), 32)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for cut := 1; cut < cuts; cut++ {
		z := NewCoalitions(k, 1)
		z.AppendMembers(order[cut*k/cuts:]...)
		values, err := g.Values(t.Context(), z)
		if err != nil {
			t.Fatal(err)
		}
		mean += values[class] / float64(cuts-1)
	}
	return mean
}

// slowCurve draws and fits under one curve, and says how far the fit is to be trusted.
func slowCurve(t *testing.T, g *Game, curve MILLICurve, rank []float64, order []int, rng *rand.Rand, class int) ([]float64, float64) {
	t.Helper()
	k := g.Instances()
	byRank, p := curve.tied(rank, order)
	z, rho := allProper(min(k, 11)), 1.0
	if k > 10 {
		drawn, err := Sampling{Samples: max(8*k, 400)}.draw(t.Context(), k, bernoulli(byRank, rng))
		if err != nil {
			t.Fatal(err)
		}
		z = drawn.z.renamed(order)
	}
	values, err := g.Values(t.Context(), z)
	if err != nil {
		t.Fatal(err)
	}
	w, y := make([]float64, z.Len()), make([]float64, z.Len())
	for j := range w {
		y[j] = odds(values[j*g.Classes()+class])
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
	phi, found := slowFit(z, w, y)
	switch {
	case found < k:
		rho = 0
	case k > 10:
		noise, v := slowNoise(z, w, y, phi), stat.PopVariance(phi, nil)
		rho = max(0, (v-noise)/(v+noise))
	}
	return phi, rho
}

// Chance that outweighs everything is said, and so is a bag of more instances than coalitions are drawn of.
func TestConsensusNotes(t *testing.T) {
	noise := &fake{Task{14, 1, ScaleRaw, -1, 0}, func(members []int) []float64 {
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
	}{{noise, "chance outweighs", false}, {logits(2), "the coalitions do not determine every score", false}, {logits(2001), "of more than 2000 instances", false}, {logits(12), "scores are differences of log-odds", true}} {
		report, err := Explain(t.Context(), c.ev, Request{Methods: []Method{Consensus{}}, Classes: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		e := report.Explanations[0]
		if got := strings.Join(e.Notes, "; "); !strings.Contains(got, c.note) || (e.StdErr != nil) != c.held {
			t.Errorf("notes %q, standard errors %v", got, e.StdErr)
		}
	}
	v := settle([]vote{
		{fit{phi: []float64{1, 3}, stderr: []float64{1, 1}, r2: .5}, 0, 1},
		{fit{phi: []float64{6, 2}, stderr: []float64{1, 1}, r2: .8}, 0, 1},
	}, []float64{1, 0})
	// The first is half as loud, x = 1/2.
	w := .25 / (.25 + .09) / (.25/(.25+.09) + 1/1.09)
	if v.rho != 0 || v.stderr != nil || !v.determined() || math.Abs(v.r2-(.5*w+.8*(1-w))) > 1e-12 {
		t.Errorf("two curves of chance: %+v", v)
	}
	a := (&Game{}).announce([]vote{v}, nil)
	if len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "chance") || a.StdErr[0] != nil {
		t.Errorf("two curves of chance: %+v", a)
	}
}

// Standard errors are near what scores scatter by from seed to seed, where Single takes their place and where it does not. The scale of
// all scores, whose chance they leave out, moves most where one curve is much louder than the other, as in the mean.
func TestConsensusScatter(t *testing.T) {
	const seeds = 40
	for name, f := range map[string]*fake{"mean": logits(40), "small": logits(12), "steep": distracted(40), "nearly additive": bent(40, .2), "bent": bent(40, 3)} {
		k := f.task.Instances
		var sum, square, said [3][]float64
		for c := range f.task.Classes {
			sum[c], square[c], said[c] = make([]float64, k), make([]float64, k), make([]float64, k)
		}
		for seed := range seeds {
			report, err := Explain(t.Context(), f, Request{Methods: []Method{Consensus{}}, GameOptions: GameOptions{Seed: uint64(seed)}})
			if err != nil {
				t.Fatal(err)
			}
			for c, e := range report.Explanations {
				if e.StdErr == nil {
					t.Fatal(name, "no standard errors", e.Notes)
				}
				for i, v := range e.Scores {
					sum[c][i] += v / seeds
					square[c][i] += v * v / seeds
					said[c][i] += e.StdErr[i] * e.StdErr[i] / seeds
				}
			}
		}
		for c := range f.task.Classes {
			scatter, errors := 0.0, 0.0
			for i := range k {
				scatter += square[c][i] - sum[c][i]*sum[c][i]
				errors += said[c][i]
			}
			if ratio := math.Sqrt(errors / scatter); !(ratio > .25 && ratio < 1.5) {
				t.Errorf("%s, class %d: standard errors are %.2f of the scatter", name, c, ratio)
			}
		}
	}
}

// bent is a model of two classes whose evidence adds up, and is bent by so much.
func bent(k int, by float64) *fake {
	return &fake{Task{k, 2, ScaleRaw, 0, 0}, func(members []int) []float64 {
		x := 0.0
		for _, i := range members {
			x += float64(i*i%7-3) / 10
		}
		return []float64{1 / (1 + math.Exp(by*x)), math.Tanh(by*x) / by}
	}}
}
