package methods

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/internal/msg"
)

// Consensus scores an instance by what it adds to reference bags that are made of the bag's own
// instances (METHODS section 4). With R(i) for the reference bags of instance i,
//
//	phi_i = sum_R weight_R [ f(R(i) + i) - f(R(i)) ] / sum_R weight_R
//
// If the output is a probability F, f is its log-odds, log((F + e) / (1 - F + e)) with e = 1e-4,
// because evidence adds up in a network's logits but not after its softmax. For other outputs, f is
// the output.
//
// The reference bags of i hold some of its k - 1 other instances, listed from the least to the most
// suspicious (see [core.Suspicion]). m is the smallest bag that the model takes, usually 1:
//
//	nested   seven bags: the max(m, ceil(c (k - 1) / 10)) least suspicious others, c = 3 .. 9;
//	         each has the weight 10
//	comb     two bags of all but the h = max(2, ceil(k / 5)) most suspicious instances of X and
//	         every second of these h, without i; each has the weight 5
//	pairs    four bags of q = max(2, m) others, at the places (k - 1)(8 a + 2 j + 1) / (8 q),
//	         rounded down, a = 0 .. q - 1, for j = 0 .. 3; each has the weight min(1, (300 / k)²)
//
// A reference bag with fewer than m instances is left out, which only combs of tiny bags have, and
// so is one that has no answer, or none with i. If that is more than half of all, or all of an
// instance, the result is a *NonFiniteError.
// Identical instances share the mean of their combs' part.
//
// Nothing is drawn, and no weight depends on values: phi is a function of the bag and the model,
// whatever the seed and the way in which coalitions are evaluated. It has no standard error. Low
// and High of the result are the smallest and largest difference in the nested bags and the combs:
// how much the company of an instance matters. A score below a twentieth of the largest of all
// classes is no evidence.
//
// For a given order phi is a probabilistic value (Weber 1988): it is linear in f, and an instance
// that never changes f scores 0. If f is a sum over instances, phi_i is the instance's own term. It
// is not efficient: the scores do not sum to f(X).
//
// Cost: 36 passes over all neighbours of a context, each of which counts as k + 1 evaluations, or
// about 13 k evaluations of models without [core.NeighbourEvaluator]; k more for single instances,
// and k if some of these are equal. A bag of one instance scores F(X).
type Consensus struct{}

// trifle is the share of the largest score of all classes below which a score does not stand out.
const trifle = .05

// consensusVersion is the number of the definition. It rises whenever scores change.
const consensusVersion = 2

// Name implements [core.Method].
func (Consensus) Name() string { return "consensus" }

// Settings implements [core.Method]: the version of the definition, which no caller sets.
func (Consensus) Settings(int) []core.Setting {
	return []core.Setting{{Name: "version", Value: consensusVersion}}
}

// Adaptive implements [core.Adaptive]: single instances order the others.
func (Consensus) Adaptive() {}

// Evaluations implements [core.Method] with the larger bound, of models with neighbours.
func (m Consensus) Evaluations(k, _ int) int { return consensusBound(k, 1, true) }

// EvaluationsIn implements [core.GameBounder]: the bound depends on the smallest bag of the model
// and on whether its evaluator has neighbours.
func (m Consensus) EvaluationsIn(g *core.Game, _ int) int {
	return consensusBound(g.Instances(), g.LeastBag(), g.Neighbours() != nil)
}

// consensusBound returns the largest number of evaluations for bags of k under models that take at
// least so many instances.
func consensusBound(k, least int, neighbours bool) int {
	if k == 1 {
		return 1
	}
	bags, contexts := countReferences(k, least)
	if neighbours {
		return contexts*(k+1) + 2*k
	}
	return bags*k + contexts + 2*k
}

// Memory implements [core.MemoryEstimator]: the values of the coalitions that a game caches, and of
// a wave of contexts.
func (m Consensus) Memory(t core.Task, classes int) core.MethodMemory {
	k := t.Instances
	need := core.MethodMemory{Bytes: float64(8 * (contextValues + 4*k*(classes+t.Classes)))}
	if k <= mostCached {
		bags, contexts := countReferences(k, t.LeastBag())
		need.Coalitions = bags*k + contexts
	}
	return need
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
	order, err := g.Suspicion(ctx)
	if err != nil {
		return nil, err
	}
	sums := newConsensusSums(g.Instances(), len(classes))
	by := marginals{g, classes}
	if err := by.evaluate(ctx, references(order.Order, g.LeastBag()), sums.add); err != nil {
		return nil, err
	}
	if err := sums.checkAnswers(ctx, g); err != nil {
		return nil, err
	}
	a := sums.attribution(order)
	a.AddUnanswered(sums.answers)
	if g.HeadOutput() == core.OutputProbability {
		a.Unit = core.UnitLogOdds
		a.AddNote(noteLogOdds)
		if err := sums.noteSaturation(ctx, g, classes, a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

const noteLogOdds = "scores are differences of log-odds, in which evidence adds up, not of " +
	"probabilities"

// consensusSums adds up the marginal contributions of the reference bags.
type consensusSums struct {
	phi, comb [][]float64 // (class, instance) weighted sums: of nested bags and pairs, of combs
	low, high [][]float64 // (class, instance) extremes over nested bags and combs
	// (instance) sums of the weights, of nested bags and pairs, of combs
	weights, combWeights []float64
	answers              core.Unanswered // differences, and those that lack an answer
	missing              reference       // the first one, with its instance as the only user
}

func newConsensusSums(k, classes int) *consensusSums {
	s := &consensusSums{weights: make([]float64, k), combWeights: make([]float64, k),
		answers: core.Unanswered{What: "reference bags"}}
	for _, sums := range []*[][]float64{&s.phi, &s.comb, &s.low, &s.high} {
		*sums = linear.NewMatrix(classes, k)
	}
	for class := range classes {
		for i := range k {
			s.low[class][i], s.high[class][i] = math.Inf(1), math.Inf(-1)
		}
	}
	return s
}

// add adds the marginal contributions (class, user) in a context. Those that are NaN count as
// missing.
func (s *consensusSums) add(r reference, gains [][]float64) {
	sums, weights := s.phi, s.weights
	if r.kind == combed {
		sums, weights = s.comb, s.combWeights
	}
	for n, i := range r.users {
		s.answers.Of++
		if !math.IsNaN(gains[0][n]) {
			weights[i] += r.weight
			continue
		}
		if s.answers.Missing++; s.answers.Missing == 1 {
			s.missing = r
			s.missing.users = []int{i}
		}
	}
	for class, row := range gains {
		for n, i := range r.users {
			v := row[n]
			if math.IsNaN(v) {
				continue
			}
			sums[class][i] += r.weight * v
			if r.kind != paired {
				s.low[class][i] = min(s.low[class][i], v)
				s.high[class][i] = max(s.high[class][i], v)
			}
		}
	}
}

// checkAnswers returns a *NonFiniteError if more than half of the differences lack an answer, or
// all of an instance.
func (s *consensusSums) checkAnswers(ctx context.Context, g *core.Game) error {
	none := false
	for i, weight := range s.weights {
		none = none || weight+s.combWeights[i] == 0
	}
	if !none && !s.answers.Most() {
		return nil
	}
	z := core.NewCoalitions(g.Instances(), 2)
	s.missing.appendTo(z)
	return g.TooFewAnswers(ctx, z, s.answers)
}

// attribution returns the scores.
func (s *consensusSums) attribution(order *core.Suspicion) *core.Attribution {
	shareAmongTwins(s.combWeights, order)
	for class, phi := range s.phi {
		shareAmongTwins(s.comb[class], order)
		for i, v := range s.comb[class] {
			phi[i] = (phi[i] + v) / (s.weights[i] + s.combWeights[i])
		}
	}
	return &core.Attribution{Scores: s.phi, Low: s.low, High: s.high, Trifle: trifle}
}

// shareAmongTwins gives equal instances the mean of their values.
func shareAmongTwins(values []float64, order *core.Suspicion) {
	for from := 0; from < len(order.Order); {
		to, sum := from, 0.0
		for ; to < len(order.Order) && order.Twins[to] == from; to++ {
			sum += values[order.Order[to]]
		}
		if to > from+1 {
			for _, i := range order.Order[from:to] {
				values[i] = sum / float64(to-from)
			}
		}
		from = to
	}
}

const (
	// enoughAlone is the probability from which on an instance alone suffices for a class.
	enoughAlone = .99
	// flatOdds is the difference of log-odds below which nothing changes in a reference bag.
	flatOdds = .1
)

// noteSaturation adds a note to the classes that no instance changes in the nested bags and combs:
// each of several instances suffices, or none does anything. Zeros alone do not tell which. Scores
// of a class for which instances suffice are flat: what little they are is no evidence.
func (s *consensusSums) noteSaturation(
	ctx context.Context, g *core.Game, classes []int, a *core.Attribution,
) error {
	if g.LeastBag() > 1 {
		return nil
	}
	rows, err := g.SingleAnswers(ctx)
	if err != nil {
		return err
	}
	alone := g.ByClass(rows, classes)
	first, end := g.Columns()
	a.ClassNotes, a.Flat = make([][]string, len(classes)), make([]bool, len(classes))
	for class, values := range alone {
		if slices.Min(s.low[class]) <= -flatOdds || slices.Max(s.high[class]) >= flatOdds {
			continue
		}
		enough, against := 0, 0
		for _, v := range values {
			switch {
			case v >= enoughAlone:
				enough++
			case v <= 1-enoughAlone && end-first == 2 && classes[class] == g.Negative():
				against++ // the instance suffices for the only other class
			}
		}
		switch {
		case against > 0:
			a.Flat[class] = true
			a.ClassNotes[class] = []string{msg.Sprintf(noteSaturated, against, len(values),
				"1 % or less")}
		case enough > 0:
			a.Flat[class] = true
			a.ClassNotes[class] = []string{msg.Sprintf(noteSaturated, enough, len(values),
				"99 % or more")}
		case slices.Max(s.high[class]) == 0 && slices.Min(s.low[class]) == 0:
			a.ClassNotes[class] = []string{noteNothing}
		}
	}
	return nil
}

const (
	noteSaturated = "any one of %d of the %d instances alone gives this class %s, and " +
		"adding or removing one changes almost nothing in larger bags: scores near 0 do not mean " +
		"that nothing matters; Single and the smallest sets tell what suffices"
	noteNothing = "no instance changes this class: the model gives all tried bags the same answer"
)
