package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// A KeptQuestion asks what the instances that an explanation shows for the answer do, and how many
// instances keep the answer (METHODS section 7). The answer is that of [Grounds].
type KeptQuestion struct{ Explanation *core.Explanation }

// Kept is the answer to a KeptQuestion.
type Kept struct {
	Shown int // instances whose evidence supports the answer
	// Sufficiency is the value of the class of the shown instances alone, Necessity that of the bag
	// without them. Recoverability is the share of the difference between the whole bag and that
	// without them that returns where they join a random half of the others, on average. They are
	// not a number without shown instances, and where the model takes no such bag; recoverability
	// also where the bag without them keeps its value up to leastLost, because there is nothing to
	// return.
	Sufficiency, Necessity, Recoverability float64
	// Ranked is the number of instances with the highest scores that give the answer, found by
	// doubling and halving, and Least the smallest number that a search found. Both are 0 if none
	// was found and for a number without a threshold.
	Ranked, Least int
}

const (
	recoveryHalves = 10  // random halves of the others
	leastLost      = .01 // share of the value of the whole bag
	keptPasses     = 64  // passes over the neighbours of a coalition
	keptEach       = 1 << 11
)

// KeptEvaluations returns an upper bound of the evaluations of a KeptQuestion about a bag of k
// instances.
func KeptEvaluations(k int) int { return GroundsEvaluations(k) + 2*recoveryHalves + keptSearch(k) }

// keptSearch returns the evaluations that the search may spend.
func keptSearch(k int) int { return min(keptPasses*(k+1), max(keptEach, 8*(k+1))) }

// Answer returns what the shown instances do. Errors are those of [core.Game.Answers] and a
// *core.BudgetError.
func (q KeptQuestion) Answer(ctx context.Context, g *core.Game) (*Kept, error) {
	class := q.Explanation.Class
	s := &grounds{g: g, explanation: q.Explanation, out: &Grounds{Class: class}}
	out := &Kept{Sufficiency: math.NaN(), Necessity: math.NaN(), Recoverability: math.NaN()}
	var err error
	if s.out.Whole, err = g.Full(ctx); err != nil {
		return nil, err
	}
	s.to, err = newGoal(g, class, nil, false)
	if s.out.Decides = err == nil; s.out.Decides {
		s.out.Reached = s.to.reached(s.to.score(s.out.Whole))
		s.to.opposite = !s.out.Reached
	}
	s.rank()
	if err := s.shown(ctx, out); err != nil {
		return nil, err
	}
	if !s.out.Decides {
		return out, nil
	}
	set, err := s.prefix(ctx, false, s.gives)
	if err != nil {
		return nil, err
	}
	out.Ranked, out.Least = len(set), len(set)
	if len(set) < 2 {
		return out, nil
	}
	base := core.NewCoalitions(g.Instances(), 1)
	base.AppendEmpty()
	search := newSearch(g, s.to, base.Row(0), func(int) bool { return true })
	search.left = keptSearch(g.Instances())
	if set, err = search.shrink(ctx, slices.Clone(set)); err != nil {
		return nil, err
	}
	fewer, err := search.find(ctx, len(set)-1)
	if out.Least = len(set); len(fewer) > 0 {
		out.Least = min(len(set), len(fewer))
	}
	return out, err
}

// shown sets what the instances do whose evidence supports the answer.
func (s *grounds) shown(ctx context.Context, out *Kept) error {
	k := s.g.Instances()
	var set, others []int
	for i := range k {
		if s.supports(i) {
			set = append(set, i)
		} else {
			others = append(others, i)
		}
	}
	out.Shown = len(set)
	rng := s.g.Rand("kept halves")
	halves := [][]int{set, others} // and each half without and with the shown instances
	for range recoveryHalves {
		rng.Shuffle(len(others), func(a, b int) { others[a], others[b] = others[b], others[a] })
		half := slices.Clone(others[:len(others)/2])
		halves = append(halves, half, slices.Concat(half, set))
	}
	halves[1] = slices.Clone(others)
	z, places := core.NewCoalitions(k, len(halves)), make([]int, len(halves))
	for n, half := range halves {
		if places[n] = -1; len(set) > 0 && len(half) > 0 && s.g.Takes(len(half)) {
			places[n] = z.Len()
			z.AppendMembers(half...)
		}
	}
	if z.Len() == 0 {
		return nil
	}
	values, err := s.g.Answers(ctx, z)
	if err != nil {
		return err
	}
	value := func(n int) float64 {
		if places[n] < 0 {
			return math.NaN()
		}
		return values[places[n]*s.g.Classes()+s.out.Class]
	}
	out.Sufficiency, out.Necessity = value(0), value(1)
	sum, count := 0.0, 0.0
	for n := 2; n < len(halves); n += 2 {
		if d := value(n+1) - value(n); !math.IsNaN(d) {
			sum, count = sum+d, count+1
		}
	}
	lost := s.out.Whole[s.out.Class] - out.Necessity
	if count > 0 && math.Abs(lost) > leastLost*math.Abs(s.out.Whole[s.out.Class]) {
		out.Recoverability = sum / count / lost
	}
	return nil
}
