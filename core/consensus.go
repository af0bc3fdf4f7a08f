package core

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Consensus is MILLI without settings (METHODS §1). Which sampling curve suits a model is not known before it is
// asked: where instances act together, coalitions that hold the least important ones nearly always and the others the seldomer
// the more important they are tell most; where a few are enough to settle the answer, none of those changes it any more, and only what
// is said next to alone is left to hear. Consensus fits a surrogate phi_g under a curve of either kind, the ramp and the few, and
// listens to the few where the ramp has gone flat:
//
//	d_g   = deviation of phi_g over the instances
//	x_g   = d_g / max d, how loud a curve is beside the other
//	rho_g = max(0, (v - s) / (v + s)), which fits to either half of the coalitions would correlate by: v is the
//	        variance of phi_g over the instances, s the mean of its squared standard errors; 1 where all coalitions
//	        are listed
//	w_g   = u_g rho_g² x_g² / (x_g² + .3²), u = 1 of the ramp, .05 of the few
//	d     = sum w_g d_g / sum w_g
//	E     = d sum (w_g phi_g / d_g) / sum w_g
//	S     = Single, moved and scaled to the mean and deviation of E over the instances
//	phi   = (E + c S) / (1 + c), c = (r² / (1 - r²))², r = max(0, correlation of E and S)
//
// Where Single agrees with the surrogates it is the same thing without chance, and takes their place the more it agrees. A curve
// whose coalitions do not determine every score, as some instance is in none of them, has no vote beside others.
//
// Probabilities enter as their log-odds, log((F + e) / (1 - F + e)) with e = 1e-4, and scores are differences of
// those: evidence that adds up in a network's logits is bent by the softmax behind them. The first of several key
// instances moves a probability from 1e-5 to 1e-2, the next from there to near 1, and it is the coalitions without
// the others that tell what each is; probabilities would count the second step alone.
//
// Mean NDCG@n on validation bags, of 4-MNIST under four networks, and of colon cancer under mi-net and mi-attn: the few alone
// .830 and .836, the ramp alone .958 and .814, both .953 and .837; both on probabilities .935 and .836; with c = r⁴ .957 and .825.
//
// The two curves part instances by what they say alone. Where that misleads, a third in which every instance is drawn alike
// tells more, and which it is the bag says itself: see challenge.
//
// Instances are ranked by the negative class, as in MILLI; where there is none, by the class that they speak for
// most, so that one order serves all classes.
//
// Coalitions are drawn for ranks, not for instances, and instances that rank alike are drawn alike: permuting a bag
// permutes its scores, up to chance among instances that rank alike. Where there are no more than 3n proper coalitions
// all are listed, each with the weight that drawing it would have given it.
//
// Standard errors take w, d and c as given, and that the third was taken; the chance of d, which scales all scores of a
// class alike, is not in them. R² is the mean of the surrogates', weighted as they are, or the third's.
//
// Cost: k + 3n evaluations for all classes, and at most 62 for each that is explained; n is 8k, held between 400 and
// 8000. Of a small bag the few may reach fewer different coalitions. Of more than 2000 instances Single stands alone:
// what would determine that many scores takes minutes.
type Consensus struct{}

// A consensusCurve is one that Consensus draws under.
type consensusCurve struct {
	MILLICurve
	share float64 // u, the weight of its vote where it is as loud as the other
}

var consensusCurves = [...]consensusCurve{
	{MILLICurve{Alpha: .008, Beta: -5}, .05}, // the few
	{MILLICurve{Alpha: .02, Beta: .01}, 1},   // the ramp
}

// curvesAsked counts the one of the challenge, too.
const curvesAsked = len(consensusCurves) + 1

// flat is how loud a curve is, beside the other, when half of its vote is left. With .1 4-MNIST has .953 too, with .5 .951.
const flat = .3

// leastOdds is e above: a probability nearer to 0 or 1 says no more. Tenfold of it costs 4-MNIST .015 under
// attention, a hundredth .010.
const leastOdds = 1e-4

func (Consensus) Name() string { return "consensus" }

func (m Consensus) Settings(k int) []Setting { return []Setting{{"samples", m.samples(k)}} }

func (m Consensus) Evaluations(k, classes int) int {
	if k == 1 {
		return 1
	}
	return min(k+m.asked(Task{Instances: k}, classes), properSubsets(k))
}

// samples is n, the coalitions drawn under one curve. So many determine every score, of colon cancer's 264 as well as twice
// as many; with n = k Consensus has .717 there under mi-net-instance where Single, which it is to agree with, has .875.
func (Consensus) samples(k int) int {
	if k > mostPolled {
		return 0
	}
	return min(max(8*k, 400), 8000)
}

// mostPolled is the largest bag that coalitions are drawn of. To solve for 2,000 scores takes 8 s of a processor, and eight
// times as long for twice as many.
const mostPolled = 2000

// sampling draws them.
func (m Consensus) sampling(k int) Sampling { return Sampling{Samples: m.samples(k)} }

// asked is how many coalitions are asked for, at most, beside the instances alone: those of all curves, and two orders of
// each class taken apart.
func (m Consensus) asked(t Task, classes int) int {
	if t.Instances > mostPolled {
		return 0
	}
	return curvesAsked*m.samples(t.Instances) + classes*2*(cuts(t.Instances)-1)
}

func (m Consensus) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	k := g.Instances()
	if k == 1 {
		return g.alone(ctx, classes, true)
	}
	if k > mostPolled {
		a, err := Single{}.Attribute(ctx, g, classes)
		if err == nil {
			a.note(fmt.Sprintf("of more than %d instances no coalitions are drawn: the scores are those of Single", mostPolled))
		}
		return a, err
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
	if properSubsets(k) <= curvesAsked*m.samples(k) {
		b.listed = sample{z: allProper(k), complete: true}
	}
	votes := make([][]vote, len(classes))
	for _, curve := range consensusCurves {
		fits, rho, err := b.under(ctx, curve.MILLICurve)
		if err != nil {
			return nil, err
		}
		for n := range votes {
			votes[n] = append(votes[n], vote{fits[n], rho[n], curve.share})
		}
	}
	settled := make([]vote, len(classes))
	for n := range votes {
		g.logOdds(singles[n])
		settled[n] = settle(votes[n], singles[n])
	}
	notes, err := b.challenge(ctx, settled)
	if err != nil {
		return nil, err
	}
	return g.announce(settled, notes), nil
}

// announce puts the scores of the classes together, and what is to be known of them.
func (g *Game) announce(settled []vote, notes []string) *Attribution {
	fits := make([]fit, len(settled))
	for n, v := range settled {
		fits[n] = v.fit
	}
	a := gather(fits, notes)
	for _, v := range settled {
		if v.rho == 0 && v.determined() {
			a.note("chance outweighs what the coalitions say of single instances")
		}
	}
	if g.output == OutputProbability {
		a.note("scores are differences of log-odds, in which evidence adds up, not of probabilities")
	}
	return a
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
		if drawn, err = b.sampling(len(p)).draw(ctx, len(p), bernoulli(byRank, b.rng)); err != nil {
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
	v, s := variance(f.phi), 0.0
	for _, e := range f.stderr {
		s += e * e / float64(len(f.stderr))
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
