package core

import (
	"context"
	"math"
)

// Consensus is MILLI without settings (METHODS §1). Which sampling curve suits a model is not known before it is
// asked: where instances act alone small coalitions tell most, where they act together large ones do. Consensus
// fits a surrogate phi_g under each of nine curves, and trusts each as far as chance would let it come out again:
//
//	rho_g = max(0, correlation of the fits to either half of its coalitions), 1 where all coalitions are listed
//	E     = sum rho_g² phi_g / sum rho_g²
//	S     = Single, moved and scaled to the mean and deviation of E over the instances
//	phi   = (E + c S) / (1 + c), c = max(0, correlation of E and S)⁴
//
// A curve whose coalitions do not determine every score, as some instance is in none of them, has no vote beside
// others. Where Single agrees with the surrogates it is the same thing without chance, and is let in.
//
// Coalitions are drawn for ranks, not for instances, and instances that rank alike are drawn alike: permuting
// a bag permutes its scores. Up to 2^k - 2 <= 9n all proper coalitions are listed, each with the weight that
// drawing it would have given it.
//
// Standard errors take rho and c as given. R² is the mean of the surrogates', weighted as they are.
//
// Cost: k + 9n evaluations, where the model has no negative class k + 9n for each class; n is 4k, held between
// 200 and 1000.
type Consensus struct{}

// consensusCurves go from coalitions of few instances to large ones.
var consensusCurves = [...]MILLICurve{
	{Alpha: .008, Beta: -5}, {Alpha: .008, Beta: -.1}, {Alpha: .05, Beta: -.1}, {Alpha: .05, Beta: -.01},
	{Alpha: .05, Beta: .01}, {Alpha: .05, Beta: .1}, {Alpha: .2, Beta: .01}, {Alpha: .35, Beta: .01}, {Alpha: .5, Beta: .01},
}

func (Consensus) Name() string { return "consensus" }

func (m Consensus) Settings(k int) []Setting { return []Setting{{"samples", m.samples(k)}} }

func (m Consensus) Evaluations(k, classes int) int {
	if k == 1 {
		return 1
	}
	return min(k+m.draws(-1, classes)*m.samples(k), properSubsets(k))
}

// samples is n, the coalitions drawn under one curve.
func (Consensus) samples(k int) int { return Sampling{}.samples(k) }

// draws is how often so many coalitions are drawn, at most: under each curve, for each order of the instances.
func (Consensus) draws(negative, classes int) int {
	return len(consensusCurves) * MILLI{}.draws(negative, classes)
}

func (m Consensus) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	k := g.Instances()
	if k == 1 {
		return g.alone(ctx, classes, true)
	}
	if err := (Sampling{}).checkSize(m.Name(), k); err != nil {
		return nil, err
	}
	return g.ranked(ctx, "", classes, func(classes []int, importance []float64, singles [][]float64) (*Attribution, error) {
		return m.poll(ctx, g, classes, importance, singles)
	})
}

// poll draws and fits under all curves with one order of the instances.
func (m Consensus) poll(ctx context.Context, g *Game, classes []int, importance []float64, singles [][]float64) (*Attribution, error) {
	k, order, rng := g.Instances(), Order(importance, g.Rand("consensus ties")), g.Rand("consensus")
	var drawn sample
	if properSubsets(k) <= len(consensusCurves)*m.samples(k) {
		drawn = sample{z: allProper(k), complete: true}
	}
	votes := make([]vote, len(classes))
	for n := range votes {
		votes[n].phi, votes[n].variance = make([]float64, k), make([]float64, k)
	}
	for _, curve := range consensusCurves {
		byRank, p := curve.tied(importance, order)
		if !drawn.complete {
			var err error
			if drawn, err = (Sampling{}).draw(ctx, k, bernoulli(byRank, rng)); err != nil {
				return nil, err
			}
			drawn.z = drawn.z.renamed(order)
		}
		fits, rho, err := m.fit(ctx, g, classes, drawn, p)
		if err != nil {
			return nil, err
		}
		for n := range votes {
			votes[n].add(&fits[n], rho[n])
		}
	}
	a := &Attribution{}
	for n := range votes {
		votes[n].settle(a, singles[n])
	}
	return a, nil
}

// tied returns the probability of each rank and of each instance. Ranks of equal importance, whose order is
// chance, share the mean of theirs.
func (c MILLICurve) tied(importance []float64, order []int) (byRank, p []float64) {
	k := len(order)
	byRank, p = c.Probabilities(k), make([]float64, k)
	for lo := 0; lo < k; {
		hi, sum := lo, 0.0
		for ; hi < k && importance[order[hi]] == importance[order[lo]]; hi++ {
			sum += byRank[hi]
		}
		for r := lo; r < hi; r++ {
			byRank[r] = sum / float64(hi-lo)
			p[order[r]] = byRank[r]
		}
		lo = hi
	}
	return byRank, p
}

// fit fits all classes to the coalitions of one curve and says how far each fit is to be trusted.
func (m Consensus) fit(ctx context.Context, g *Game, classes []int, drawn sample, p []float64) (fits []fit, rho []float64, err error) {
	kernel, err := milliKernel(ctx, g.arithmetic(), drawn.z, p)
	if err != nil {
		return nil, nil, err
	}
	if drawn.complete {
		kernel = kernel.times(drawn.z, p)
	}
	s, y, err := fitter{method: m.Name()}.system(ctx, g, classes, drawn, kernel)
	if err != nil {
		return nil, nil, err
	}
	if rho, err = s.reliability(ctx, y); err != nil {
		return nil, nil, err
	}
	if fits, err = s.solve(ctx, y); err != nil {
		return nil, nil, err
	}
	for n := range fits {
		if fits[n].truncated {
			rho[n] = 0
		}
	}
	return fits, rho, nil
}

// times is the kernel times the probability of drawing a coalition, but for a factor: what the fit to draws without
// end would weigh it by.
func (kernel logKernel) times(z *Coalitions, p []float64) logKernel {
	odds := make([]float64, len(p))
	for i, q := range p {
		odds[i] = math.Log(q / (1 - q))
	}
	return func(j int) float64 {
		sum := kernel(j)
		for i, v := range odds {
			if z.Has(j, i) {
				sum += v
			}
		}
		return sum
	}
}

// A vote gathers what the curves say of one class.
type vote struct {
	phi, variance []float64 // (instance) sums over the curves; variance nil where that of a curve is not known
	r2, weight    float64
	trust         float64 // largest rho
	short         bool
}

// leastTrust is the weight of a curve that is not to be trusted: where no curve is better, all count alike.
const leastTrust = 1e-12

func (v *vote) add(f *fit, rho float64) {
	w := max(rho*rho, leastTrust)
	for i, phi := range f.phi {
		v.phi[i] += w * phi
	}
	switch {
	case f.stderr == nil && rho > 0:
		v.variance = nil
	case f.stderr != nil && v.variance != nil:
		for i, e := range f.stderr {
			v.variance[i] += w * w * e * e
		}
	}
	v.r2 += w * f.r2
	v.weight += w
	v.trust = max(v.trust, rho)
	v.short = v.short || rho > 0 && f.short
}

// settle appends the scores of the class.
func (v *vote) settle(a *Attribution, single []float64) {
	e := v.phi
	divide(e, v.weight)
	mean, deviation := moments(e)
	meanS, deviationS := moments(single)
	c := max(0, correlation(e, single))
	c *= c
	c *= c
	share, slope := 1/(1+c), 0.0
	if c > 0 {
		slope = deviation / deviationS
	}
	for i, s := range single {
		e[i] = share * (e[i] + c*(mean+slope*(s-meanS)))
	}
	for i, square := range v.variance {
		v.variance[i] = share * math.Sqrt(square) / v.weight
	}
	if v.trust == 0 {
		a.note("no two halves of the coalitions agree: chance outweighs what the model says of single instances")
		v.variance = nil
	}
	if v.short {
		a.note("fewer coalitions than instances were drawn: the smallest scores that fit were taken, and R² flatters")
	}
	a.Scores = append(a.Scores, e)
	a.StdErr = append(a.StdErr, v.variance)
	a.R2 = append(a.R2, v.r2/v.weight)
}
