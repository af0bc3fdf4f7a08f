package methods

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/msg"
)

// Shapley estimates the Shapley values of the model's output (METHODS section 1): for each instance
// the mean of its marginal contributions f(S + i) - f(S) to the coalitions S of one size, and then
// the mean over the sizes 0 to k - 1 (Shapley 1953). They sum to f(X) minus the value of the empty
// bag.
//
// Two estimators compute them:
//
//   - Models that implement [core.NeighbourEvaluator], without Samples: the sizes 0 and k - 1 are
//     exact, and for k <= 64 the sizes 1 and k - 2. A context of random size gives one marginal
//     contribution of every instance (k + 1 evaluations), and so does its complement. Small and
//     large contexts are more frequent than those between, and weigh less.
//   - Other models, bags of up to 10 instances, models without an answer for some coalitions, and
//     with Samples: a regression of the values of n coalitions, in pairs of complements, on an
//     additive surrogate whose effects depend on the size of the coalition. The regression of what
//     it leaves corrects it (see sizeFit).
//
// All coalitions give the exact values, without errors. A pair is left out if one of its coalitions
// has no answer, and the others of its size share its weight. No MIL model has a value of the empty
// bag. By default it is that of a [core.EmptyEvaluator], else 1/C for probabilities of several
// classes and 0 for other outputs. The least bag of the model must be one instance.
//
// Without Samples the method continues until every standard error is below 2 % of the class's
// largest score, or until its largest number of coalitions. Bags of more than 2000 instances do not
// use Samples, and need a model with neighbours.
//
// Cost: n evaluations, or 2k + c (k + 1) for c contexts, from 128 to 8192, listed ones included.
type Shapley struct {
	Samples    int        // n, coalitions of the regression; 0 stops by itself
	Efficiency EmptyValue // value of the empty bag; "" for the default
}

// Name implements [core.Method].
func (Shapley) Name() string { return "shapley" }

// Settings implements [core.Method].
func (m Shapley) Settings(int) []core.Setting {
	return []core.Setting{{Name: "samples", Value: m.Samples},
		{Name: "efficiency", Value: string(m.Efficiency)}}
}

// Bounds of Shapley.
const (
	leastShapley  = 512  // coalitions of the first regression, and 8k for larger bags
	mostShapley   = 8192 // coalitions of the last regression, and 8k for larger bags
	mostRegressed = 2000 // instances of a regression, whose matrices take 200 MB then
	leastContexts = 128  // contexts of the first estimate
	mostContexts  = 8192 // contexts of the last one
	// shapleyPrecision is the standard error that ends a run, relative to the largest score of the
	// class.
	shapleyPrecision = .02
)

// Evaluations implements [core.Method] with the larger bound of models with and without neighbours.
func (m Shapley) Evaluations(k, _ int) int {
	return max(m.bound(k, true), m.bound(k, false))
}

// Adaptive implements [core.Adaptive]: the errors end the run.
func (Shapley) Adaptive() {}

// EvaluationsIn implements [core.GameBounder].
func (m Shapley) EvaluationsIn(g *core.Game, _ int) int {
	return m.bound(g.Instances(), g.Neighbours() != nil)
}

// bound returns the largest number of evaluations for models with or without neighbours.
func (m Shapley) bound(k int, neighbours bool) int {
	switch {
	case k == 1:
		return 1
	case m.byMarginals(k, neighbours):
		return 2*k + 1 + mostContexts*(k+1)
	}
	first, last := m.samples(k)
	if first != last {
		last += first
	}
	return min(last, sampling.ProperSubsets(k)) + 1
}

// byMarginals reports whether marginal contributions estimate the values.
func (m Shapley) byMarginals(k int, neighbours bool) bool {
	return neighbours && k > sampling.MostEnumerated && (m.Samples == 0 || k > mostRegressed)
}

// samples returns the coalitions of the first and of the last regression.
func (m Shapley) samples(k int) (first, last int) {
	switch {
	case k <= sampling.MostEnumerated:
		return sampling.ProperSubsets(k), sampling.ProperSubsets(k)
	case m.Samples > 0:
		return m.Samples, m.Samples
	}
	return max(leastShapley, 8*k), max(mostShapley, 8*k)
}

// Memory implements [core.MemoryEstimator] with the larger need of models with and without
// neighbours.
func (m Shapley) Memory(t core.Task, classes int) core.MethodMemory {
	k, values := float64(t.Instances), float64(8*(classes+1))
	need := core.MethodMemory{Bytes: 2*shapleyGroups*k*values + k*float64(8*t.Classes)}
	if t.Instances <= mostRegressed {
		need.Coalitions = m.bound(t.Instances, false)
		_, last := m.samples(t.Instances)
		need.Bytes = max(need.Bytes, 8*(5*float64(last)/2*k+5*k*k))
	}
	return need
}

// Validate implements [core.Validator].
func (m Shapley) Validate(g *core.Game) error {
	if m.Samples != 0 {
		if err := checkOption(m.Name(), "samples", m.Samples); err != nil {
			return err
		}
		if k := g.Instances(); k <= mostRegressed {
			if err := (Sampling{Samples: m.Samples}).checkSize(m.Name(), k*64); err != nil {
				return err
			}
		}
	}
	_, err := fitter{method: m.Name(), efficiency: m.empty(g)}.emptyValue(g)
	return err
}

// empty returns which value the empty bag has in a game.
func (m Shapley) empty(g *core.Game) EmptyValue {
	if m.Efficiency != EmptyNone {
		return m.Efficiency
	}
	if _, ok := g.EmptyValue(); ok {
		return EmptyGame
	}
	if first, end := g.Columns(); g.HeadOutput() == core.OutputProbability && end-first > 1 {
		return EmptyUniform
	}
	return EmptyZero
}

// Attribute implements [core.Method]. A model that takes no bag of one instance is an
// *UnavailableError, and so is a bag that is too large for the regression.
func (m Shapley) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	k, pooled := g.Instances(), g.Neighbours() != nil
	if k == 1 {
		return g.Alone(ctx, classes)
	}
	if err := g.Reducible(m.Name()); err != nil {
		return nil, err
	}
	if g.LeastBag() > 1 {
		return nil, &core.UnavailableError{Method: m.Name(), Reason: msg.Sprintf("the model takes "+
			"bags of %s instances, and Shapley values need all smaller ones; use %s", g.Sizes(),
			instead(g))}
	}
	if k > mostRegressed && !pooled {
		return nil, &core.UnavailableError{Method: m.Name(), Reason: fmt.Sprintf("the bag has %d "+
			"instances, and a model that does not pool takes at most %d; explain a part of the "+
			"bag, or use consensus", k, mostRegressed)}
	}
	empty, err := fitter{efficiency: m.empty(g)}.emptyValue(g)
	if err != nil {
		return nil, err
	}
	full, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	r := &shapleyRun{Shapley: m, g: g, classes: classes, empty: pick(nil, empty, classes),
		full: pick(nil, full, classes)}
	estimate := r.regress
	if m.byMarginals(k, pooled) {
		estimate = r.marginals
	}
	a, err := estimate(ctx)
	if errors.As(err, new(*core.NonFiniteError)) && k <= mostRegressed {
		a, err = r.regress(ctx)
	}
	if err == nil && m.empty(g) != EmptyGame {
		a.AddNote(msg.Sprintf("the value of the empty bag, which the model does not take, is %s: "+
			"the scores sum to the prediction minus it", emptyWords[m.empty(g)]))
	}
	return a, err
}

// instead returns the method to use for a model that does not take all sizes.
func instead(g *core.Game) string {
	if g.Step() > 1 {
		return "random_shap"
	}
	return "consensus"
}

// emptyWords are the values of the empty bag in words.
var emptyWords = map[EmptyValue]string{EmptyUniform: "1 / classes", EmptyZero: "0"}

// A shapleyRun is one call of Shapley.
type shapleyRun struct {
	Shapley
	g           *core.Game
	classes     []int
	empty, full []float64 // (explained class) value of the empty bag and of the whole bag
}

// excess returns the largest standard error relative to what ends the run: shapleyPrecision of the
// class's largest score. It is 0 if nothing has an error.
func excess(a *core.Attribution) (most float64) {
	for n, scores := range a.Scores {
		if a.StdErr == nil || a.StdErr[n] == nil {
			continue
		}
		if e := slices.Max(a.StdErr[n]); e > 0 {
			most = max(most, e/(shapleyPrecision*max(slices.Max(scores), -slices.Min(scores))))
		}
	}
	return most
}
