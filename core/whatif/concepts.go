package whatif

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/msg"
)

// Limits of a ConceptsQuestion.
const (
	MostConcepts   = 24
	MostRandomSets = 1 << 14 // random sets for each concept
	mostListed     = 12      // concepts up to which all sets of them are evaluated
	mostRuled      = 8       // concepts of a rule
	conceptOrders  = 128     // random orders of more concepts, in pairs
	fewestRandom   = 199     // default of random sets, at least
	randomOfEach   = 25      // and for each concept: P of .05 can be reached after correction
	conceptLevel   = .05     // corrected P up to which an effect is evident
)

// A Concept is a set of instances with a name, such as those inside annotations of a class.
type Concept struct {
	Name      string
	Instances []int // ascending
}

// A ConceptsQuestion asks what named sets of instances do for the answer for a class, alone and
// together (METHODS section 7). Concepts may overlap.
type ConceptsQuestion struct {
	Class    int
	Concepts []Concept // MostConcepts or fewer
	// Random is the number of random sets that each concept is compared with; nil is the default,
	// 199 or 25 for each concept, and 0 leaves out the tests and the rule.
	Random *int
	// Bag is that of the game. If its instances have places, random sets are as contiguous as the
	// concept. It may be nil.
	Bag *core.Bag
}

// Concepts are the answer to a ConceptsQuestion. f is that of [methods.Consensus].
type Concepts struct {
	Class int
	Unit  core.Unit // the unit of f
	// Present is f with all concepts, the whole bag, and Absent f without any: the Shapley values
	// sum to their difference.
	Present, Absent float64
	List            []ConceptEffect // an entry for each concept of the question
	// Joint is the Shapley interaction index (concept, concept), symmetric with zeros in the
	// diagonal; nil for more than 12 concepts.
	Joint      [][]float64
	Orders     int // random orders of the concepts, 0 if all sets of them were evaluated
	Random     int // random sets for each concept
	Contiguous bool
	// Rule is the one that describes f of the sets of the evident concepts, up to 8 of them; nil if
	// none does, and without an evident concept.
	Rule *Rule
	// Additive is the share of the variance of f over these sets that a sum of an effect for each
	// concept explains; not a number without an evident concept.
	Additive    float64
	Evaluations int // coalitions that the model scored for this question
	Notes       []string
}

// A ConceptEffect is what a concept does.
type ConceptEffect struct {
	Concept
	Without []float64 // (class) output of the bag without it; nil if the model takes no such bag
	Alone   []float64 // (class) output of the concept alone; nil if the model takes no such bag
	Effect  float64   // f of the whole bag minus f without the concept; NaN if Without is nil
	Shapley float64   // Shapley value, the concepts being the players
	StdErr  float64   // standard error of Shapley, 0 if all sets of concepts were evaluated
	// P is the share of random sets whose mean effect is at least as large, and Adjusted is P after
	// the correction of Holm for the number of concepts. Both are not a number without a test.
	P, Adjusted float64
	// Evident reports whether Adjusted is at most .05 and the mean effect is no trifle: a twentieth
	// of the largest, and of 1 if f is in log-odds.
	Evident bool
}

// ConceptsEvaluations returns an upper bound of the evaluations of a ConceptsQuestion with m
// concepts and a number of random sets, see ConceptsQuestion.
func ConceptsEvaluations(m int, random *int) int {
	n := 2*m + 1
	if m <= mostListed {
		n += 1 << m
	} else {
		n += conceptOrders*m + 1<<mostRuled
	}
	contexts := 2 + 2*chainsOfFew*(m-2)
	if m <= mostOthers+1 {
		contexts = 1 << (m - 1)
	}
	return n + m*(usualRandom(m, random)+1)*2*contexts
}

// usualRandom returns the number of random sets for each of m concepts.
func usualRandom(m int, random *int) int {
	if random != nil {
		return *random
	}
	return max(fewestRandom, randomOfEach*m-1)
}

// Answer returns what the concepts do. It evaluates all sets of up to 12 concepts, and the bags of
// the tests.
//
// Errors: a *SettingError of class, concepts or random, a *BudgetError before any evaluation, and
// those of [core.Game.Answers].
func (q ConceptsQuestion) Answer(ctx context.Context, g *core.Game) (*Concepts, error) {
	if err := q.check(g); err != nil {
		return nil, err
	}
	n := ConceptsEvaluations(len(q.Concepts), q.Random)
	if err := g.CheckBudget(n); err != nil {
		return nil, err
	}
	g.Enter(q.Class)
	g.Expect(n)
	before := g.Evaluations()
	c := newConceptGame(g, q)
	out := &Concepts{Class: q.Class, Unit: g.OddsUnit(), Additive: math.NaN()}
	if err := c.shapley(ctx, out); err != nil {
		return nil, err
	}
	if err := c.alone(ctx, out); err != nil {
		return nil, err
	}
	if out.Random = usualRandom(len(q.Concepts), q.Random); out.Random > 0 {
		if err := c.test(ctx, q.Bag, out); err != nil {
			return nil, err
		}
		if err := c.rule(ctx, out); err != nil {
			return nil, err
		}
	}
	if c.emptied {
		out.Notes = append(out.Notes, "the concepts hold all instances: the bag without them is "+
			"empty and counts as neutral")
	}
	out.Evaluations = g.Evaluations() - before
	return out, nil
}

// check returns a *SettingError for a wrong question.
func (q ConceptsQuestion) check(g *core.Game) error {
	if err := g.CheckClass(q.Class); err != nil {
		return err
	}
	refuse := func(setting, reason string, args ...any) error {
		return &core.SettingError{Setting: setting, Reason: msg.Sprintf(reason, args...)}
	}
	if n := len(q.Concepts); n == 0 || n > MostConcepts {
		return refuse("concepts", "there must be between 1 and %d concepts, got %d; name those "+
			"that you ask about", MostConcepts, n)
	}
	names := map[string]bool{}
	for _, of := range q.Concepts {
		name := msg.Quoted(of.Name)
		switch n := len(of.Instances); {
		case of.Name == "" || names[of.Name]:
			return refuse("concepts", "%s names no concept, or two; give each its own name", name)
		case n == 0:
			return refuse("concepts", "%s has no instance; leave it out", name)
		case !slices.IsSorted(of.Instances) || of.Instances[0] < 0 ||
			of.Instances[n-1] >= g.Instances() ||
			len(slices.Compact(slices.Clone(of.Instances))) < n:
			return refuse("concepts", "instances of %s must be different ones of 0 to %d, in "+
				"ascending order", name, g.Instances()-1)
		}
		names[of.Name] = true
	}
	if r := q.Random; r != nil && (*r < 0 || *r > MostRandomSets) {
		return refuse("random", "must be between 0 and %d, got %d", MostRandomSets, *r)
	}
	return nil
}

// shapley sets the Shapley values, and the interactions of up to 12 concepts.
func (c *conceptGame) shapley(ctx context.Context, out *Concepts) error {
	m := len(c.sets)
	out.List = make([]ConceptEffect, m)
	if m > mostListed {
		return c.sample(ctx, out)
	}
	table, err := c.values(ctx, c.subsets(linear.Indices(m)))
	if err != nil {
		return err
	}
	out.Absent, out.Present = table[0], table[len(table)-1]
	weights := contextWeights{
		alone: func(s, _ int) float64 { return sizeWeight(s, m-1) },
		pair:  func(s, _, _ int) float64 { return sizeWeight(s, m-2) },
	}
	out.Joint = make([][]float64, m)
	for i := range m {
		out.List[i].Shapley = mainEffect(table, m, i, weights)
		out.Joint[i] = make([]float64, m)
		for j := range i {
			v := interaction(table, m, j, i, weights)
			out.Joint[i][j], out.Joint[j][i] = v, v
		}
	}
	return nil
}

// sample is shapley over random orders, each followed by its reverse: the Shapley values are means
// of what a concept adds behind those before it.
func (c *conceptGame) sample(ctx context.Context, out *Concepts) error {
	m, rng := len(c.sets), c.g.Rand("concept orders")
	out.Orders = conceptOrders
	sums := stats.NewTally(m)
	for range conceptOrders / 2 {
		order, adds := rng.Perm(m), make([]float64, m)
		for range 2 {
			masks := []uint64{0}
			for at, j := range order {
				masks = append(masks, masks[at]|1<<j)
			}
			v, err := c.values(ctx, masks)
			if err != nil {
				return err
			}
			for at, j := range order {
				adds[j] += (v[at+1] - v[at]) / 2
			}
			out.Absent, out.Present = v[0], v[m]
			slices.Reverse(order)
		}
		for j, v := range adds {
			sums.Add(j, v)
		}
	}
	means, errors := sums.Means()
	for j := range out.List {
		out.List[j].Shapley, out.List[j].StdErr = means[j], errors[j]
	}
	if stats.NonFinite(means) >= 0 {
		return &core.UnavailableError{Reason: "a bag without some of the concepts has no " +
			"prediction; name at most 12 concepts, whose means leave such bags out"}
	}
	return nil
}

// alone sets what the model returns for each concept alone, and without it.
func (c *conceptGame) alone(ctx context.Context, out *Concepts) error {
	z := core.NewCoalitions(c.g.Instances(), 0)
	for j := range out.List {
		e := &out.List[j]
		e.Concept, e.P, e.Adjusted = c.concepts[j], math.NaN(), math.NaN()
		z.AppendWithout(e.Instances...)
		z.AppendMembers(e.Instances...)
	}
	rows, err := c.outputs(ctx, z)
	if err != nil {
		return err
	}
	f := c.odds(rows)
	for j := range out.List {
		e := &out.List[j]
		e.Without, e.Alone, e.Effect = rows[2*j], rows[2*j+1], out.Present-f[2*j]
	}
	return nil
}
