package whatif

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
)

// A GroundsQuestion asks what the model's answer for a class rests on, at the cost of few
// evaluations: [SetsQuestion] finds smaller sets, and proves them, at the cost of many.
type GroundsQuestion struct {
	Class int
	// Explanation is that of the class, or nil. Its evidence is counted, and its order is that of
	// the search for what suffices together and what turns the answer: without it, there is none.
	Explanation *core.Explanation
}

// Grounds are what an answer rests on. The answer is that the class is the largest of its head, or
// reaches one half, or the opposite if it does not. All of it was evaluated; nothing is proved to
// be smallest.
type Grounds struct {
	Class    int
	Largest  bool      // the class has to be the largest of its head; else to reach one half
	Reached  bool      // whether it does in the whole bag
	Decides  bool      // false for a number without a threshold, of which nothing decides
	Whole    []float64 // (class) values of the whole bag
	For      int       // instances whose evidence supports the answer
	Against  int       // instances whose evidence refutes it
	Tried    int       // instances that were evaluated alone; 0 if the model takes none alone
	Alone    int       // how many of them give the answer
	ForAlone int       // how many of those support it
	// Together are instances that give the answer together: those with the highest scores, found by
	// halving, without those of them that are not needed if they are few. It is empty if one alone
	// gives the answer, and if none was found but the whole bag.
	Together Company
	// Needed reports that without any single one of Together the bag does not give the answer, and
	// Each has the values (class) of these bags, in the order of Together.
	Needed bool
	Each   [][]float64
	// Turn are instances without which the bag does not give the answer, found in the same way, or
	// those that give the answer alone. It is empty if none was found. For a number without a
	// threshold it is the instance with the highest score.
	Turn    Company
	Without []float64 // (class) values of the bag without Turn; nil if that is empty
	// Alike are instances that look alike, ascending: each two of them have nearly equal
	// embeddings, as [Groups] defines it. It is the largest group among the instances that For
	// counts. If For is 0, it is the largest one among the 256 with the highest scores without
	// which the bag does not give the answer. It is empty if there is no such group of two or
	// more, and for models without embeddings.
	Alike       []int
	AlikeTurn   bool // the bag without Alike does not give the answer
	Evaluations int  // coalitions that the model scored for this question
}

// A Company is a set of instances.
type Company struct {
	Instances []int // ascending
	Highest   bool  // they are those with the highest scores
	For       int   // how many of them have evidence that supports the answer
}

// Limits of a GroundsQuestion.
const (
	mostTriedAlone = 32 // instances tried alone under models without neighbours
	mostSingled    = 8  // instances of a company that are tried one by one
)

// GroundsEvaluations returns an upper bound of the evaluations of a GroundsQuestion about a bag of
// k instances.
func GroundsEvaluations(k int) int {
	return 2 + k + 4*bits.Len(uint(k)) + 3*mostSingled + mostTurned
}

// Answer returns what the answer for a class rests on. It evaluates each instance alone (32 of them
// if the model does not pool), and some 60 more bags at most. If the budget of the game is spent,
// it returns what is known.
//
// Errors: a *SettingError for a class that does not exist, and those of [core.Game.Answers].
func (q GroundsQuestion) Answer(ctx context.Context, g *core.Game) (*Grounds, error) {
	if err := g.CheckClass(q.Class); err != nil {
		return nil, err
	}
	before := g.Evaluations()
	out := &Grounds{Class: q.Class}
	err := q.fill(ctx, g, out)
	if err != nil && !errors.As(err, new(*core.BudgetError)) &&
		!errors.As(err, new(*core.UnavailableError)) {
		return nil, err
	}
	out.Evaluations = g.Evaluations() - before
	return out, nil
}

// fill fills in grounds until an error ends it.
func (q GroundsQuestion) fill(ctx context.Context, g *core.Game, out *Grounds) (err error) {
	if out.Whole, err = g.Full(ctx); err != nil {
		return err
	}
	to, err := newGoal(g, q.Class, nil, false)
	if out.Decides = err == nil; out.Decides {
		out.Largest, out.Reached = to.largest, to.reached(to.score(out.Whole))
		to.opposite = !out.Reached
	}
	s := &grounds{g: g, to: to, explanation: q.Explanation, out: out}
	s.rank()
	if !out.Decides {
		return s.withoutFirst(ctx)
	}
	if err := s.alone(ctx); err != nil {
		return err
	}
	if out.Alone == 0 {
		if err := s.together(ctx); err != nil {
			return err
		}
	}
	if err := s.turn(ctx); err != nil {
		return err
	}
	return s.alike(ctx)
}

// grounds is the search behind a GroundsQuestion.
type grounds struct {
	g           *core.Game
	to          goal
	explanation *core.Explanation // nil if the class is not explained
	order       []int             // instances by descending scores; nil if these are unknown
	givers      []int             // those that give the answer alone
	out         *Grounds
}

// rank counts the evidence and sets the order, in which instances that do most for the answer are
// first.
func (s *grounds) rank() {
	e, sign := s.explanation, 1.0
	if e == nil {
		return
	}
	if s.out.Decides && !s.out.Reached {
		sign = -1
	}
	for i, evident := range e.Evident {
		switch {
		case !evident || e.Scores[i] == e.Neutral:
		case s.supports(i):
			s.out.For++
		default:
			s.out.Against++
		}
	}
	s.order = linear.Indices(len(e.Scores))
	slices.SortStableFunc(s.order, func(i, j int) int {
		return cmp.Compare(sign*e.Scores[j], sign*e.Scores[i])
	})
}

// values returns the values of bags of the given instances, or without them, shaped
// (bag, class), with NaN where the model has no answer.
func (s *grounds) values(ctx context.Context, without bool, sets ...[]int) ([][]float64, error) {
	z := core.NewCoalitions(s.g.Instances(), len(sets))
	for _, set := range sets {
		if without {
			z.AppendWithout(set...)
		} else {
			z.AppendMembers(set...)
		}
	}
	values, err := s.g.Answers(ctx, z)
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(values, s.g.Classes())), nil
}

// gives reports whether values give the answer of the whole bag.
func (s *grounds) gives(values []float64) bool { return s.to.reached(s.to.score(values)) }

// turns reports whether values give another answer than the whole bag. Values that are not a number
// give none.
func (s *grounds) turns(values []float64) bool {
	score := s.to.score(values)
	return !math.IsNaN(score) && !s.to.reached(score)
}

// withoutFirst evaluates the bag without the instance with the highest score.
func (s *grounds) withoutFirst(ctx context.Context) error {
	if len(s.order) < 2 || !s.g.Takes(len(s.order)-1) || s.out.For == 0 {
		return nil
	}
	values, err := s.values(ctx, true, s.order[:1])
	if err == nil && !math.IsNaN(values[0][s.out.Class]) {
		s.out.Turn, s.out.Without = s.company(s.order[:1]), values[0]
	}
	return err
}

// alone evaluates instances alone: all under a model that pools or with few of them, else those
// with the highest scores.
func (s *grounds) alone(ctx context.Context) error {
	k := s.g.Instances()
	if s.g.LeastBag() > 1 || k < 2 {
		return nil
	}
	if s.g.Neighbours() == nil && k > mostTriedAlone {
		return s.strongestAlone(ctx)
	}
	values, err := s.g.SingleAnswers(ctx)
	if err != nil {
		return err
	}
	for i := range k {
		s.count(i, values[i*s.g.Classes():(i+1)*s.g.Classes()])
	}
	return nil
}

// strongestAlone is alone for the instances with the highest scores.
func (s *grounds) strongestAlone(ctx context.Context) error {
	if s.order == nil {
		return nil
	}
	var sets [][]int
	for n := range mostTriedAlone {
		sets = append(sets, s.order[n:n+1])
	}
	values, err := s.values(ctx, false, sets...)
	if err != nil {
		return err
	}
	for n, row := range values {
		s.count(s.order[n], row)
	}
	return nil
}

// count counts an instance that was evaluated alone.
func (s *grounds) count(i int, values []float64) {
	s.out.Tried++
	if !s.gives(values) {
		return
	}
	s.out.Alone++
	s.givers = append(s.givers, i)
	if s.supports(i) {
		s.out.ForAlone++
	}
}

// supports reports whether the evidence of an instance supports the answer.
func (s *grounds) supports(i int) bool {
	e := s.explanation
	if e == nil || !e.Evident[i] {
		return false
	}
	return (e.Scores[i] > e.Neutral) == (s.out.Reached || !s.out.Decides)
}

// together finds instances that give the answer together, and whether each of them is needed.
func (s *grounds) together(ctx context.Context) error {
	set, _, err := s.fewest(ctx, false, s.gives)
	if err != nil || len(set) == s.g.Instances() {
		return err
	}
	s.out.Together = s.company(set)
	if len(set) == 0 || len(set) > mostSingled || !s.g.Takes(s.g.Instances()-1) {
		return nil
	}
	var sets [][]int
	for i := range set {
		sets = append(sets, s.out.Together.Instances[i:i+1])
	}
	values, err := s.values(ctx, true, sets...)
	s.out.Needed = err == nil && !slices.ContainsFunc(values, func(row []float64) bool {
		return !s.turns(row)
	})
	if s.out.Needed {
		s.out.Each = values
	}
	return err
}

// turn finds instances without which the bag does not give the answer.
func (s *grounds) turn(ctx context.Context) error {
	set, values, err := s.fewest(ctx, true, s.turns)
	if err != nil {
		return err
	}
	s.out.Turn, s.out.Without = s.company(set), values
	rest := s.g.Instances() - s.out.Alone
	if s.out.Alone == 0 || len(set) > 0 && len(set) < s.out.Alone || !s.g.Takes(rest) {
		return nil
	}
	all, err := s.values(ctx, true, s.givers)
	if err == nil && s.turns(all[0]) {
		s.out.Turn, s.out.Without = s.company(s.givers), all[0]
	}
	return err
}

// company returns a set as a Company.
func (s *grounds) company(set []int) Company {
	c := Company{Instances: slices.Sorted(slices.Values(set))}
	c.Highest = s.order != nil && len(set) > 0 &&
		slices.Equal(c.Instances, slices.Sorted(slices.Values(s.order[:len(set)])))
	for _, i := range set {
		if s.supports(i) {
			c.For++
		}
	}
	return c
}

// fewest returns the instances of prefix. Of few it leaves out those without which the others pass.
// It returns nil if none is found, and without an order.
func (s *grounds) fewest(
	ctx context.Context, without bool, passes func([]float64) bool,
) (set []int, values []float64, err error) {
	set, err = s.prefix(ctx, without, passes)
	if err != nil || len(set) == 0 {
		return nil, nil, err
	}
	if _, values, err = s.try(ctx, set, without, passes); err != nil {
		return nil, nil, err
	}
	if len(set) < 2 || len(set) > mostSingled {
		return set, values, nil
	}
	for n := len(set) - 2; n >= 0; n-- { // the last one is needed
		rest := slices.Delete(slices.Clone(set), n, n+1)
		ok, of, err := s.try(ctx, rest, without, passes)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			set, values = rest, of
		}
	}
	return set, values, nil
}

// try reports whether the values of a bag of instances, or of the bag without them, pass, and
// returns these values.
func (s *grounds) try(
	ctx context.Context, of []int, without bool, passes func([]float64) bool,
) (bool, []float64, error) {
	size := len(of)
	if without {
		size = len(s.order) - size
	}
	if size == 0 || !s.g.Takes(size) {
		return false, nil, nil
	}
	rows, err := s.values(ctx, without, of)
	if err != nil {
		return false, nil, err
	}
	return passes(rows[0]), rows[0], nil
}

// prefix returns the smallest number of instances with the highest scores, found by doubling and
// halving, of which the bag, or the bag without them, has values that pass; nil if none is found.
func (s *grounds) prefix(
	ctx context.Context, without bool, passes func([]float64) bool,
) ([]int, error) {
	low, high := 0, 0 // low fails, and high passes
	for low < len(s.order) && (high == 0 || high > low+1) {
		m := min(max(1, 2*low), len(s.order))
		if high > 0 {
			m = (low + high) / 2
		}
		ok, _, err := s.try(ctx, s.order[:m], without, passes)
		if err != nil {
			return nil, err
		}
		if ok {
			high = m
		} else {
			low = m
		}
	}
	return s.order[:high], nil
}
