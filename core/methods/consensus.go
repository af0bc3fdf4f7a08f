package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/msg"
)

// Consensus scores an instance by its expected marginal contribution (METHODS section 4). A context
// is a random coalition that contains instance i with probability p_i, independently of the others.
// With S = context without i,
//
//	phi_i = E[ f(S + i) - f(S) ]
//
// If the output is a probability F, f is its log-odds, log((F + e) / (1 - F + e)) with e = 1e-4,
// because evidence adds up in a network's logits but not after its softmax. For other outputs, f is
// the output.
//
// Four sampling curves give the p_i:
//
//	ramp       MILLI's curve with alpha .02 and beta .03: important instances are rarely in a
//	           context, so that the output does not depend on them alone
//	ramp 2     the same, with instances ranked by the first ramp's scores and half the contexts
//	few        every p_i = min(.5, m/k): contexts of about m instances, for models whose output a
//	           few instances saturate; m is the smallest bag that the model takes, usually 1
//	unguided   every p_i = .5
//
// Instances are ranked against the negative class: first by Single, then by the first ramp's
// scores. Without a negative class, they are ranked by the class that an instance supports most.
// Either way there is one ranking for all classes. Equal ranks share the mean of their
// probabilities.
//
// For each class, the scores of the ramps and of "few" are joined. With phi_r = (2 ramp + ramp 2) /
// 3 and phi_f the scores of "few":
//
//	d_g   = standard deviation of phi_g over the instances
//	rho_g = max(0, (v - e) / (v + e)), the reliability, with v = d_g² and e the mean squared
//	        standard error
//	x     = (d_r / d_f) max(1, k/300), which is small if f hardly changes in the contexts of the
//	        ramps; in large bags each instance changes f less, which the second factor corrects
//	w_r   = rho_r² x² / (x² + .3²), w_f = .05 rho_f²
//	d     = (w_r d_r + w_f d_f) / (w_r + w_f)
//	phi   = d (w_r phi_r / d_r + w_f phi_f / d_f) / (w_r + w_f)
//
// The unguided scores replace phi for a class if removing instances in their order, highest first,
// lowers the output by .2 more than the order of phi does, on average over 32 cuts.
//
// The result is a probabilistic value (Weber 1988): it is linear in f, and an instance that never
// changes f scores 0. It is not efficient: the scores do not sum to f(X). It is not symmetric,
// because p_i depends on the rank.
//
// Three estimators compute it:
//
//   - Bags of up to 10 instances: all coalitions are evaluated, and the scores have no error.
//   - Models that implement [core.NeighbourEvaluator]: all instances share the contexts, so that
//     one context takes k + 1 evaluations and gives one marginal contribution of every instance.
//   - Other models: an unweighted additive surrogate of n = 16k coalitions, between 800 and 8000;
//     above 2000 instances the covariance of f with the presence of an instance. Both estimate the
//     same phi.
//
// The method chooses the number of contexts. A curve has 64 contexts (ramp 2: 32), and twice as
// many if the five scores of largest magnitude of an explained class are not yet separated from the
// others (see join.separated). Precise continues until every standard error is below 2 % of the
// class's largest score.
//
// Standard errors come from a jackknife over groups of contexts (see contexts). They are
// conditional on the ranks and the weights of this run: they estimate the standard deviation of the
// scores over other contexts with the same ranks and weights.
//
// Cost: k + (c + 1)(k + 1) evaluations for c = 224 or 448 contexts, or k + 3.5 n for other models,
// and up to 62 for each class. A bag of one instance scores F(X).
type Consensus struct {
	Precise bool // continue until every standard error is below 2 % of the class's largest score
}

const (
	// usualContexts and preciseContexts are the largest numbers of contexts of a curve.
	usualContexts   = 128
	preciseContexts = 8192
	// precision is the largest standard error of Precise, relative to the largest score of a class.
	precision = .02
)

// ConsensusRamp returns the curve of both ramps of [Consensus]. It and the constants of a run were
// chosen on validation bags of 4-MNIST, of digits with k = 600 and 3000, of colon cancer and of
// SIVAL.
func ConsensusRamp() MILLICurve { return MILLICurve{Alpha: .02, Beta: .03} }

// Name implements [core.Method].
func (Consensus) Name() string { return "consensus" }

// Settings implements [core.Method]. It returns Precise if it is set; by default there are no
// settings.
func (m Consensus) Settings(int) []core.Setting {
	if m.Precise {
		return []core.Setting{{Name: "precise", Value: true}}
	}
	return nil
}

// Evaluations implements [core.Method] with the larger bound of models with and without neighbours.
func (m Consensus) Evaluations(k, classes int) int {
	return max(m.bound(k, classes, true), m.bound(k, classes, false))
}

// EvaluationsIn implements GameBounder: the bound depends on whether the model has an evaluator of
// neighbours.
func (m Consensus) EvaluationsIn(g *core.Game, classes int) int {
	return m.bound(g.Instances(), classes, g.Neighbours() != nil)
}

// bound returns the largest number of evaluations for models with or without neighbours.
func (m Consensus) bound(k, classes int, neighbours bool) int {
	switch {
	case k == 1:
		return 1
	case k <= sampling.MostEnumerated:
		return sampling.ProperSubsets(k) + 1
	}
	n := k + 1 + classes*2*(cuts(k)-1)
	if !neighbours {
		return n + 7*surrogateSamples(k)/2
	}
	return n + 7*m.mostContexts()/2*(k+1)
}

// mostContexts returns the largest number of contexts of a curve.
func (m Consensus) mostContexts() int {
	if m.Precise {
		return preciseContexts
	}
	return usualContexts
}

// Memory implements [core.MemoryEstimator] with the larger need of models with and without
// neighbours. The game caches the values that compare orders of instances; the method holds those
// of contexts.
func (m Consensus) Memory(t core.Task, classes int) core.MethodMemory {
	k, n := float64(t.Instances), float64(surrogateSamples(t.Instances))
	words := float64(8 * ((t.Instances + 63) / 64))
	values := float64(8 * (classes + 1))
	groups := 4 * float64(contextGroups(t.Instances, classes+1)) * k * (values + 4)
	surrogate := 3.5*n*(words+float64(8*t.Classes)) + 4*n*words
	if t.Instances <= mostSurrogate {
		surrogate += 3 * 8 * k * k
	}
	return core.MethodMemory{
		Coalitions: classes * 2 * (cuts(t.Instances) - 1),
		Bytes:      max(groups+2*k*float64(8*t.Classes), surrogate) + 16*k*values,
	}
}

// Attribute implements [core.Method]. If the bag has no more instances than the smallest that the
// model takes, it returns an *UnavailableError.
func (m Consensus) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if g.Instances() == 1 {
		return g.Alone(ctx, classes)
	}
	if err := g.Removable(m.Name()); err != nil {
		return nil, err
	}
	importance, err := g.Importance(ctx)
	if err != nil {
		return nil, err
	}
	r := newConsensusRun(m, g, classes)
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	if err := r.start(ctx, importance); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// AddNote returns how the scores of one class were estimated and why the run stopped.
func (r *consensusRun) note(class int) string {
	switch {
	case r.exact():
		return "all coalitions were evaluated: the scores have no sampling error"
	case r.shared == nil:
		return surrogateNote(r.g.Instances())
	}
	is := "are"
	if !r.separated[class] {
		is = "are not"
	}
	const text = "the five largest scores %s separated from the others after %d contexts"
	return msg.Sprintf(text, is, r.contexts)
}
