package core

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// An Identifier is an Evaluator that tells identical instances of its bag.
type Identifier interface {
	// Identity returns a number that identical instances share, and others almost surely not.
	Identity(instance int) uint64
}

// A Suspicion is a bag's instances from the least to the most suspicious.
//
// An instance is as suspicious as it contradicts the negative class alone or, if there is none, as
// it supports any class alone: by the log-odds of that class if F is a probability, without bounds,
// else by F. Equal instances are ordered by how much F of the class falls when they are removed,
// then by their values, if the evaluator is an [Identifier]. Numbers within a millionth of their
// scale are equal, so that rounding does not order instances. The order of the rest is fixed and
// independent of their index, which may carry information. An instance that has no answer alone is
// among the least suspicious; one without which the bag has none is last of its equals.
type Suspicion struct {
	Order []int // (rank) instance
	Twins []int // (rank) the rank of the first instance that this one is equal to in all of this
}

// Suspicion returns the order of the game's instances. It draws nothing: equal games have equal
// orders whatever their seed. It evaluates single instances and, if some are equal, the bag without
// each instance. Errors are those of [Game.Values], and an *UnavailableError if no instance can be
// removed and none stands alone.
func (g *Game) Suspicion(ctx context.Context) (*Suspicion, error) {
	k := g.task.Instances
	alone, classes, err := g.aloneSuspicion(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]suspect, k)
	for i, v := range g.steps(alone) {
		keys[i].alone = v
	}
	s := &Suspicion{fixedPermutation(k), make([]int, k)}
	byAlone := func(a, b int) int { return cmp.Compare(keys[a].alone, keys[b].alone) }
	slices.SortStableFunc(s.Order, byAlone)
	if tied := s.tied(byAlone); len(tied) > 0 {
		if err := g.breakTies(ctx, keys, tied, classes); err != nil {
			return nil, err
		}
	}
	equal := func(a, b int) int { return keys[a].compare(keys[b]) }
	slices.SortStableFunc(s.Order, equal)
	for r := range s.Twins {
		if s.Twins[r] = r; r > 0 && equal(s.Order[r-1], s.Order[r]) == 0 {
			s.Twins[r] = s.Twins[r-1]
		}
	}
	return s, nil
}

// A suspect holds what an instance is ordered by.
type suspect struct {
	alone, removed float64
	identity       uint64
}

// compare orders the less suspicious first.
func (s suspect) compare(t suspect) int {
	return cmp.Or(cmp.Compare(s.alone, t.alone), cmp.Compare(s.removed, t.removed),
		cmp.Compare(s.identity, t.identity))
}

// fixedPermutation returns the order of instances that nothing orders: a function of their number.
func fixedPermutation(k int) []int { return fixedRand("suspicion").Perm(k) }

// fixedRand returns the random stream of a name for choices that no seed changes.
func fixedRand(name string) *rand.Rand {
	return rand.New(rand.NewPCG(0, fnv1a(fnvOffset, name)))
}

// tied returns the instances that are equal to another one, for an order that is sorted.
func (s *Suspicion) tied(compare func(a, b int) int) (tied []int) {
	for r, i := range s.Order {
		if r > 0 && compare(s.Order[r-1], i) == 0 ||
			r+1 < len(s.Order) && compare(i, s.Order[r+1]) == 0 {
			tied = append(tied, i)
		}
	}
	return tied
}

// aloneSuspicion returns how suspicious each instance is alone, and the class that tells.
func (g *Game) aloneSuspicion(ctx context.Context) (values []float64, classes []int, err error) {
	rows, err := g.SingleAnswers(ctx)
	var missing *UnavailableError
	sign := 1.0
	if errors.As(err, &missing) {
		rows, err = g.RemovedAnswers(ctx)
		sign = -1
	}
	if err != nil {
		return nil, nil, err
	}
	values, classes = g.suspicious(rows)
	for i := range values {
		values[i] *= sign
	}
	return stats.Fill(values, math.Min), classes, nil
}

// breakTies sets the further keys of tied instances.
func (g *Game) breakTies(ctx context.Context, keys []suspect, tied, classes []int) error {
	if g.Removable("") == nil && g.task.Instances > 1 {
		rows, err := g.RemovedAnswers(ctx)
		if err != nil {
			return err
		}
		left := make([]float64, len(keys))
		for i := range left {
			left[i] = -g.suspicionOf(rows[i*g.Classes():(i+1)*g.Classes()], classes[i])
		}
		left = g.steps(stats.Fill(left, math.Max))
		for _, i := range tied {
			keys[i].removed = left[i]
		}
	}
	if by, ok := g.ev.(Identifier); ok {
		for _, i := range tied {
			keys[i].identity = by.Identity(i)
		}
	}
	return nil
}

// suspicious returns the suspicion of each row of values (row, class) and the class that tells: the
// negative one, or the one that the row supports most.
func (g *Game) suspicious(rows []float64) (values []float64, classes []int) {
	n := len(rows) / g.Classes()
	values, classes = make([]float64, n), make([]int, n)
	first, end := g.Columns()
	for i := range values {
		row := rows[i*g.Classes() : (i+1)*g.Classes()]
		classes[i] = g.Negative()
		if classes[i] < 0 {
			classes[i] = first
			for c := first; c < end; c++ {
				if row[c] > row[classes[i]] {
					classes[i] = c
				}
			}
		}
		values[i] = g.suspicionOf(row, classes[i])
	}
	return values, classes
}

// suspicionOf returns the log-odds of a class or its value, negated for the negative class.
func (g *Game) suspicionOf(row []float64, class int) float64 {
	v := row[class]
	if g.output == OutputProbability {
		// Of softmax the sum of the others is exact where 1 - v is 0.
		others := 1 - v
		if first, end := g.Columns(); g.task.Scale == ScaleLogits && end-first > 1 {
			others = 0
			for c := first; c < end; c++ {
				if c != class {
					others += row[c]
				}
			}
		}
		v = logarithm(v) - logarithm(others)
	}
	if class == g.Negative() {
		return -v
	}
	return v
}

// logarithm returns log v, or that of the smallest number above 0 for v <= 0.
func logarithm(v float64) float64 { return math.Log(max(v, math.SmallestNonzeroFloat64)) }

// leastStep is the difference that counts, as a share of the scale of values.
const leastStep = 1e-6

// steps returns values rounded to leastStep of their scale, in steps. The scale is their range, at
// least 1 for log-odds or the largest magnitude of other values, below which rounding lies.
func (g *Game) steps(values []float64) []float64 {
	out := make([]float64, len(values))
	high, low := slices.Max(values), slices.Min(values)
	least := 1.0
	if g.output != OutputProbability {
		least = max(high, -low)
	}
	width := leastStep * max(high-low, least)
	if !(width > 0) || math.IsInf(width, 0) {
		return out
	}
	for i, v := range values {
		out[i] = math.Floor(v/width + .5)
	}
	return out
}
