package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/msg"
)

// PairIndex is a definition of the interaction of two instances (METHODS section 7).
type PairIndex string

const (
	// PairsShapley is the Shapley interaction index (Grabisch and Roubens 1999). It ranks pairs
	// best.
	PairsShapley PairIndex = "shapley"
	// PairsGuided averages over the contexts of [methods.ContextCurve].
	PairsGuided PairIndex = "guided"
	// PairsFaithful is the fit of single instances and pairs to all coalitions, weighted as by the
	// Shapley kernel (Tsai, Yeh and Ravikumar 2023).
	PairsFaithful PairIndex = "faithful"
)

// PairIndices lists all definitions, the default first.
func PairIndices() []PairIndex { return []PairIndex{PairsShapley, PairsGuided, PairsFaithful} }

// Limits and defaults of a PairsQuestion.
const (
	MostAmong       = 300 // instances whose pairs are evaluated
	usualAmong      = 30
	MostContexts    = 1 << 14
	mostExactPairs  = 20      // instances of the largest bag whose coalitions are all evaluated
	mostCachedPairs = 1 << 10 // instances of the largest bag whose coalitions are cached
)

// A PairsQuestion asks how pairs of instances act together on a class.
type PairsQuestion struct {
	Class int
	Index PairIndex // "" means PairsShapley
	// Among is the number of instances whose pairs are evaluated: those with the largest effect
	// alone. 0 means 30; at most MostAmong.
	Among    int
	Contexts int // contexts to draw, 0 means 64; at most MostContexts
}

// Pairs are the interactions of pairs of instances for a class. An interaction is the mean of
//
//	f(S + i + j) - f(S + i) - f(S + j) + f(S)
//
// over contexts S without i and j. f is that of [methods.Consensus]: the log-odds if the output is
// a probability. Above zero, the instances complete each other: together they add more than the sum
// of what each adds. Below zero, they stand in for each other.
type Pairs struct {
	Class int
	Index PairIndex
	Unit  core.Unit
	// Among lists the instances whose pairs were evaluated, the largest effect first.
	Among []int
	Alone []float64 // (place in Among) mean of f(S + i) - f(S): the effect of the instance alone
	List  []Pair    // the largest magnitude first
	// Twins lists groups of two or more instances of Among that act alike: their effects alone
	// and their interactions with the others differ by at most two fifths.
	Twins    [][]int
	Contexts int // contexts that were drawn, 0 if all coalitions were evaluated
	// degrees of freedom of standard errors
	Freedom     float64
	Evaluations int // coalitions that the model scored for this question
	Notes       []string
}

// A Pair is the interaction of instances A < B.
type Pair struct {
	A, B   int
	Value  float64
	StdErr float64 // 0 if all coalitions were evaluated
	// Evident reports whether the interaction differs from 0 by more than chance explains.
	Evident bool
}

// Answer returns the interactions of pairs of instances.
//
// All coalitions are evaluated in bags of up to 10 instances, and of up to 20 if the model has
// neighbours (see [core.NeighbourEvaluator]). The result is then exact. Contexts with coalitions
// that the model does not take are left out. In larger bags, interactions are means over random
// contexts, with standard errors.
//
// Cost: 2^k evaluations, or for m instances and t contexts at most t m (k + 1), of which models
// without neighbours take t (m (m + 1) / 2 + 1) + 2k + 1.
//
// Errors: a *SettingError for a wrong question, an *UnavailableError for a bag without pairs that
// can be removed, a *quota.MemoryError, and those of [core.Game.Values].
func (q PairsQuestion) Answer(ctx context.Context, g *core.Game) (*Pairs, error) {
	if err := q.check(g); err != nil {
		return nil, err
	}
	g.Enter(q.Class)
	prediction, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	before := g.Evaluations()
	run := &pairsRun{g: g, q: q}
	g.Expect(run.cost())
	p := &Pairs{Class: q.Class, Index: q.Index, Unit: g.OddsUnit()}
	if enumerable(g) {
		err = run.enumerate(ctx)
		p.Notes = append(p.Notes,
			"all coalitions were evaluated: the interactions have no sampling error")
	} else {
		err = run.sample(ctx)
		p.Contexts, p.Freedom = q.Contexts, float64(q.Contexts-1)
	}
	if err != nil {
		return nil, err
	}
	run.report(p, g.LeastScale(prediction))
	p.Evaluations = g.Evaluations() - before
	return p, nil
}

// cost returns an upper bound of the evaluations.
func (r *pairsRun) cost() int {
	k, m, t := r.g.Instances(), r.q.Among, r.q.Contexts
	switch {
	case enumerable(r.g):
		return 1 << k
	case r.together():
		return t * m * (k + 1)
	}
	return t*(m*(m+1)/2+1) + 2*k + 1
}

// check returns an error for a wrong question, and fills in defaults.
func (q *PairsQuestion) check(g *core.Game) error {
	if err := g.CheckClass(q.Class); err != nil {
		return err
	}
	q.Index = cmp.Or(q.Index, PairsShapley)
	if !slices.Contains(PairIndices(), q.Index) {
		return &core.SettingError{Setting: "interaction", Reason: msg.Sprintf(
			"%q is unknown; use one of shapley, guided, faithful", q.Index)}
	}
	for _, number := range []struct {
		name               string
		value              *int
		usual, least, most int
	}{
		{"among", &q.Among, usualAmong, 2, MostAmong},
		{"contexts", &q.Contexts, sampling.FewestContexts, 2, MostContexts},
	} {
		*number.value = cmp.Or(*number.value, number.usual)
		if v := *number.value; v < number.least || v > number.most {
			return &core.SettingError{Setting: number.name, Reason: fmt.Sprintf(
				"must be between %d and %d, got %d", number.least, number.most, v)}
		}
	}
	q.Among = min(q.Among, g.Instances())
	if err := g.Removable(""); err != nil {
		return err
	}
	if k, least := g.Instances(), g.LeastBag(); k < least+2 {
		return &core.UnavailableError{
			Reason: fmt.Sprintf("pairs need a bag of at least %d instances, "+
				"because the model takes bags of at least %d; this bag has %d, so explain a "+
				"larger one", least+2, least, k),
		}
	}
	return nil
}

// enumerable reports whether all coalitions of the bag are evaluated for interactions.
func enumerable(g *core.Game) bool {
	k := g.Instances()
	return k <= sampling.MostEnumerated || k <= mostExactPairs && g.Neighbours() != nil
}

// A pairsRun is one call of Pairs.
type pairsRun struct {
	g     *core.Game
	q     PairsQuestion
	among []int
	alone []float64 // (place in among)
	// upper triangle of (place, place), row by row: interactions and their standard errors
	values, errors []float64
}

// triangle returns the place of pair (a, b) of n instances, a < b, in an upper triangle.
func triangle(n, a, b int) int { return a*n - a*(a+1)/2 + b - a - 1 }

// report fills in the pairs, whether each is evident, and the twins.
func (r *pairsRun) report(p *Pairs, unit float64) {
	m := len(r.among)
	evident := stats.Evident(unit, stats.Estimate{Values: r.values, StdErr: r.errors,
		Freedom: p.Freedom})[0]
	for a := range m {
		for b := a + 1; b < m; b++ {
			at := triangle(m, a, b)
			one := Pair{A: min(r.among[a], r.among[b]), B: max(r.among[a], r.among[b]),
				Value: r.values[at], Evident: evident[at]}
			if r.errors != nil {
				one.StdErr = r.errors[at]
			}
			p.List = append(p.List, one)
		}
	}
	slices.SortStableFunc(p.List, func(a, b Pair) int {
		return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value))
	})
	p.Among, p.Alone, p.Twins = r.among, r.alone, r.twins(evident)
}
