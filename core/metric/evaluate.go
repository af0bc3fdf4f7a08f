package metric

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// The rows that Evaluate adds to compare with.
const (
	RowRandom = "random" // a fresh random ranking for each class
	RowOracle = "oracle" // the ranking by true relevance, where instances have labels
)

// Options are the conditions of an evaluation. The zero value works.
type Options struct {
	Metrics []string    // names of the table of metrics, nil for all
	Seed    uint64      // of ties, random orders and the random row
	Preset  core.Preset // AOPC divides by k for core.PresetReference, by k-1 otherwise
	Strict  bool        // see Relevances
	Orders  int         // random orders of AOPC-R, 0 means 10
}

func (o Options) orders() int {
	if o.Orders <= 0 {
		return 10
	}
	return o.Orders
}

// Evaluations is the most model evaluations that judging n explanations of a bag of k instances takes.
// An unknown metric is a *core.SettingError.
func (o Options) Evaluations(k, n int) (int, error) {
	wanted, err := choose(o.Metrics)
	if err != nil {
		return 0, err
	}
	total := 0
	if wanted[NameAOPCR] {
		total += o.orders() * k
	}
	if wanted[NameAOPCR] || wanted[NameSRG] || wanted[NameDeletion] {
		total += n * k
	}
	if wanted[NameSRG] || wanted[NameInsertion] {
		total += n * k
	}
	if wanted[NameMilletAOPCR] {
		total += (milletOrders + n) * milletPoints
	}
	return total, nil
}

// A Row is what one explanation, of one method for one class, is worth on one bag.
type Row struct {
	Method string
	Class  int
	Values []Value   // in the order of the table of metrics; those without a value are left out
	MoRF   []float64 // value without the m most relevant instances, m = 0..k-1, or nil if no metric asked
	LeRF   []float64 // value without the m least relevant instances, m = 0..k-1, or nil if no metric asked
}

// Value is one metric of a row.
type Value struct {
	Metric  string // its name in the table
	Score   float64
	Trivial bool // any ranking would have got this score, as the class has no instance but supporting ones
}

// A ScoresError says why an explanation cannot be judged.
type ScoresError struct {
	Method string
	Class  int
	Reason string
}

func (e *ScoresError) Error() string {
	return fmt.Sprintf("the explanation of class %d by %s cannot be judged: %s", e.Class, e.Method, e.Reason)
}

// Evaluate judges explanations of one bag: a row for each, in their order, then a random row and,
// where the bag has labels and the table of truth knows the class, an oracle row for each class
// explained. The game must be that bag's; it is where curves of removal take their values and
// remember them. truth may be nil.
//
// Metrics that are not defined have no value in a row: NDCG@n and AUPRC without supporting instances
// or labels, curves of a bag of one instance, R² of a method without surrogate, MILLET's AOPCR of any
// class but the predicted one. In the oracle's ranking unlabelled instances lie with neutral ones.
//
// Errors: *core.SettingError for an unknown metric, *core.BagError when bag and game differ in size or
// the bag is too large for a curve, *ScoresError for an explanation of another size or with NaN, and
// those of (*core.Game).Values.
func Evaluate(ctx context.Context, g *core.Game, bag *core.Bag, truth []core.Truth, explanations []core.Explanation, o Options) ([]Row, error) {
	if err := Check(g, explanations); err != nil {
		return nil, err
	}
	j, err := NewJudge(ctx, g, bag, truth, o)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, e := range append(slices.Clip(explanations), j.References(explanations)...) {
		row, err := j.Row(ctx, e)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Check returns a *ScoresError for the first explanation that cannot be judged in a game.
func Check(g *core.Game, explanations []core.Explanation) error {
	for _, e := range explanations {
		if err := check(e, g); err != nil {
			return err
		}
	}
	return nil
}

func check(e core.Explanation, g *core.Game) error {
	reason := ""
	switch {
	case e.Class < 0 || e.Class >= g.Classes():
		reason = fmt.Sprintf("the model has %d classes", g.Classes())
	case len(e.Scores) != g.Instances():
		reason = fmt.Sprintf("it has %d scores for %d instances", len(e.Scores), g.Instances())
	case slices.ContainsFunc(e.Scores, math.IsNaN):
		reason = fmt.Sprintf("the score of instance %d is NaN", slices.IndexFunc(e.Scores, math.IsNaN))
	default:
		return nil
	}
	return &ScoresError{Method: e.Method, Class: e.Class, Reason: reason}
}

// explained returns the classes of the explanations, each once, ascending.
func explained(explanations []core.Explanation) []int {
	var classes []int
	for _, e := range explanations {
		classes = append(classes, e.Class)
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

// References returns the rankings to compare explanations with, for each class that they explain: RowRandom, and
// RowOracle where instances have labels and the table of truth knows the class.
func (j *Judge) References(explanations []core.Explanation) []core.Explanation {
	classes := explained(explanations)
	return append(j.randomRows(classes), j.oracleRows(classes)...)
}

// randomRows returns a random ranking for each class, from a stream that no other order is drawn from.
func (j *Judge) randomRows(classes []int) []core.Explanation {
	r := stream(j.options.Seed, j.bag, "metric/random row")
	var out []core.Explanation
	for _, class := range classes {
		scores := make([]float64, j.bag.Len())
		for i := range scores {
			scores[i] = r.Float64()
		}
		out = append(out, core.Explanation{Method: RowRandom, Class: class, Scores: scores, R2: math.NaN()})
	}
	return out
}

// oracleRows returns the true relevance of each instance as its score, for each class that has one.
func (j *Judge) oracleRows(classes []int) []core.Explanation {
	var out []core.Explanation
	for _, class := range classes {
		rel := j.relevance(class)
		if _, _, labelled := count(rel); labelled == 0 {
			continue
		}
		scores := make([]float64, len(rel))
		for i, r := range rel {
			if r != Unlabelled {
				scores[i] = float64(r)
			}
		}
		out = append(out, core.Explanation{Method: RowOracle, Class: class, Scores: scores, R2: math.NaN()})
	}
	return out
}

// perms returns n random orders of k instances.
func perms(r *rand.Rand, n, k int) [][]int {
	out := make([][]int, n)
	for i := range out {
		out[i] = r.Perm(k)
	}
	return out
}
