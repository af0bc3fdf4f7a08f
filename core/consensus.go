package core

import (
	"context"
	"math"
	"math/rand/v2"
)

// Consensus is MILLI without settings (METHODS §1). Which sampling curve suits a model is not known before it is
// asked: where instances act alone small coalitions tell most, where they act together large ones do. Consensus
// fits a surrogate phi_g under each of eight curves, and trusts each as far as chance would let it come out again:
//
//	rho_g = max(0, (v - s) / (v + s)), which fits to either half of the coalitions would correlate by: v is the
//	        variance of phi_g over the instances, s the mean of its squared standard errors; 1 where all coalitions
//	        are listed
//	E     = sum rho_g² phi_g / sum rho_g²
//	S     = Single, moved and scaled to the mean and deviation of E over the instances
//	phi   = (E + c S) / (1 + c), c = max(0, correlation of E and S)⁴
//
// Where Single agrees with the surrogates it is the same thing without chance, and is let in. A curve whose
// coalitions do not determine every score, as some instance is in none of them, has no vote beside others.
//
// Probabilities enter as their log-odds, log((F + e) / (1 - F + e)) with e = 1e-4, and scores are differences of
// those: evidence that adds up in a network's logits is bent by the softmax behind them. The first of several key
// instances moves a probability from 1e-5 to 1e-2, the next from there to near 1, and it is the coalitions without
// the others that tell what each is; probabilities would count the second step alone. Mean NDCG@n without trivial
// items, on validation bags: 4-MNIST attention .919 (of probabilities .880), mean pooling .957 (.940), colon cancer
// instance-wise .798 (.745), attention .762 (.755).
//
// The eight curves part instances by what they say alone. Where that misleads, a ninth in which every instance is drawn alike
// tells more, and which it is the bag says itself: see challenge.
//
// Instances are ranked by the negative class, as in MILLI; where there is none, by the class that they speak for
// most, so that one order serves all classes (birdsong, validation bags, attention: .547; ranked for each class .475).
//
// Coalitions are drawn for ranks, not for instances, and instances that rank alike are drawn alike: permuting
// a bag permutes its scores. Up to 2^k - 2 <= 8n all proper coalitions are listed, each with the weight that
// drawing it would have given it.
//
// Standard errors take rho and c as given, and that the ninth was taken. R² is the mean of the surrogates', weighted as they
// are, or the ninth's.
//
// Cost: k + 9n evaluations for all classes, and at most 124 for each that is explained; n is 4k, held between 200 and 1000.
type Consensus struct{}

// consensusCurves go from coalitions of few instances to large ones. Those in which every instance is drawn alike,
// alpha from .35 to .5, have no vote among them: on the validation bags they took .006 from 4-MNIST and gave colon cancer nothing.
var consensusCurves = [...]MILLICurve{
	{Alpha: .008, Beta: -5}, {Alpha: .008, Beta: -.1}, {Alpha: .05, Beta: -.1}, {Alpha: .05, Beta: -.01},
	{Alpha: .02, Beta: .01}, {Alpha: .05, Beta: .01}, {Alpha: .05, Beta: .1}, {Alpha: .2, Beta: .01},
}

// leastOdds is e above: a probability nearer to 0 or 1 says no more. Tenfold of it costs 4-MNIST attention .015,
// a hundredth costs mean pooling .008.
const leastOdds = 1e-4

func (Consensus) Name() string { return "consensus" }

func (m Consensus) Settings(k int) []Setting { return []Setting{{"samples", m.samples(k)}} }

func (m Consensus) Evaluations(k, classes int) int {
	if k == 1 {
		return 1
	}
	return min(k+m.draws(0, 0)*m.samples(k)+classes*4*(cuts(k)-1), properSubsets(k))
}

// samples is n, the coalitions drawn under one curve.
func (Consensus) samples(k int) int { return Sampling{}.samples(k) }

// draws is how often so many coalitions are drawn.
func (Consensus) draws(_, _ int) int { return len(consensusCurves) + 1 }

func (m Consensus) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	k := g.Instances()
	if k == 1 {
		return g.alone(ctx, classes, true)
	}
	if err := (Sampling{}).checkSize(m.Name(), k); err != nil {
		return nil, err
	}
	values, err := g.Singles(ctx)
	if err != nil {
		return nil, err
	}
	return m.poll(ctx, g, classes, g.importance(values), byClass(values, g.Classes(), classes))
}

// poll draws and fits under all curves with one order of the instances.
func (m Consensus) poll(ctx context.Context, g *Game, classes []int, importance []float64, singles [][]float64) (*Attribution, error) {
	k := g.Instances()
	b := ballot{m, g, classes, importance, Order(importance, g.Rand("consensus ties")), g.Rand("consensus"), sample{}}
	if properSubsets(k) <= len(consensusCurves)*m.samples(k) {
		b.listed = sample{z: allProper(k), complete: true}
	}
	votes := make([]vote, len(classes))
	for n := range votes {
		votes[n] = vote{phi: make([]float64, k), variance: make([]float64, k)}
	}
	for _, curve := range consensusCurves {
		fits, rho, err := b.under(ctx, curve)
		if err != nil {
			return nil, err
		}
		for n := range votes {
			votes[n].add(&fits[n], rho[n])
		}
	}
	a := &Attribution{}
	for n := range votes {
		g.logOdds(singles[n])
		votes[n].settle(a, singles[n])
	}
	if g.output == OutputProbability {
		a.note("scores are differences of log-odds, in which evidence adds up, not of probabilities")
	}
	return a, b.challenge(ctx, a)
}

// A ballot is what all curves are asked with.
type ballot struct {
	Consensus
	g          *Game
	classes    []int
	importance []float64
	order      []int // of the instances, by importance
	rng        *rand.Rand
	listed     sample // all proper coalitions, where they are few enough
}

// under draws coalitions under a curve, fits all classes to them and says how far each fit is to be trusted.
func (b *ballot) under(ctx context.Context, curve MILLICurve) (fits []fit, rho []float64, err error) {
	byRank, p := curve.tied(b.importance, b.order)
	drawn := b.listed
	if !drawn.complete {
		if drawn, err = (Sampling{}).draw(ctx, len(p), bernoulli(byRank, b.rng)); err != nil {
			return nil, nil, err
		}
		drawn.z = drawn.z.renamed(b.order)
	}
	return b.fit(ctx, b.g, b.classes, drawn, p)
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
	g.logOdds(y)
	fits, err = s.solve(ctx, y)
	rho = make([]float64, len(fits))
	for n := range fits {
		if rho[n] = 1; s.sampled {
			rho[n] = fits[n].reliability()
		}
	}
	return fits, rho, err
}

// reliability is what the fits to either half of the coalitions would correlate by, over the instances; 0 where they say
// nothing of any, as of a model whose scores do not change.
func (f *fit) reliability() float64 {
	if f.stderr == nil {
		return 0
	}
	n := float64(len(f.phi))
	mean, v, s := 0.0, 0.0, 0.0
	for i, e := range f.stderr {
		mean += f.phi[i] / n
		s += e * e / n
	}
	for _, phi := range f.phi {
		v += (phi - mean) * (phi - mean) / n
	}
	if v <= s {
		return 0
	}
	return (v - s) / (v + s)
}

// logOdds turns probabilities into their log-odds, in place; other outputs stay as they are.
func (g *Game) logOdds(values []float64) {
	if g.output != OutputProbability {
		return
	}
	for i, v := range values {
		values[i] = math.Log((max(v, 0) + leastOdds) / (max(1-v, 0) + leastOdds))
	}
}
