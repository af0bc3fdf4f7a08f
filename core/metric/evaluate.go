package metric

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/kind"
)

// The rows that Evaluate adds for comparison.
const (
	RowRandom = "random" // a random ranking for each class
	RowOracle = "oracle" // the ranking by true relevance, if instances have labels
)

// Options are the settings of an evaluation. The zero value works.
type Options struct {
	Metrics []string       // names of metrics, nil for all
	Seed    uint64         // seed of ties, random orders and the random row
	Preset  methods.Preset // AOPC divides by k for methods.PresetReference, by k-1 otherwise
	Strict  bool           // see Relevances
	Orders  int            // number of random orders of AOPC-R, 0 means 10
}

// orders returns the number of random orders with the default filled in.
func (o Options) orders() int {
	if o.Orders <= 0 {
		return 10
	}
	return o.Orders
}

// Evaluations returns an upper bound of the model evaluations for judging n explanations of a bag
// of k instances, or a *core.SettingError for an unknown metric.
func (o Options) Evaluations(k, n int) (int, error) {
	requested, err := choose(o.Metrics)
	if err != nil {
		return 0, err
	}
	total := 0
	if requested[NameAOPCR] {
		total += o.orders() * k
	}
	if requested[NameAOPCR] || requested[NameSRG] || requested[NameDeletion] {
		total += n * k
	}
	if requested[NameSRG] || requested[NameInsertion] {
		total += n * k
	}
	if requested[NameMilletAOPCR] {
		total += (milletOrders + n) * milletPoints
	}
	return total, nil
}

// A Row holds the metrics of one explanation: one bag, one method, one class.
type Row struct {
	Method string
	Class  int
	Values []Value // values in the order of Metrics; undefined metrics are missing
	// value without the m most relevant instances, m = 0..k-1, or nil if no metric needs it
	MoRF []float64
	// value without the m least relevant instances, m = 0..k-1, or nil if no metric needs it
	LeRF []float64
}

// Value is one metric of a row.
type Value struct {
	Metric  string // its name in the table
	Score   float64
	Trivial bool // every ranking has this score, because all labelled instances support the class
}

// A ScoresError reports the reason that an explanation cannot be judged.
type ScoresError struct {
	Method string
	Class  int
	Reason string
}

// Error returns the class, the method and the reason.
func (e *ScoresError) Error() string {
	return fmt.Sprintf("the explanation of class %d by %s cannot be judged: %s", e.Class, e.Method,
		e.Reason)
}

// Kind returns "setting".
func (e *ScoresError) Kind() string { return kind.Setting }

// Evaluate judges explanations of one bag. It returns a row for each, in their order, then rows for
// each explained class: a random row and, if the bag has labels and truth has an entry for the
// class, an oracle row. The game must be the game of the bag; it caches the values of removal
// curves. truth may be nil.
//
// Undefined metrics have no value in a row: NDCG@n and AUPRC without supporting instances or
// labels, curves of a bag of one instance, R² of a method without a surrogate, MILLET's AOPCR of a
// class that is not predicted. In the oracle's ranking, unlabelled instances count as neutral.
//
// Errors: *core.SettingError for an unknown metric, *core.BagError if bag and game differ in size
// or the bag is too large for a curve, *ScoresError for an explanation with another number of
// scores or with NaN, and those of (*core.Game).Values.
func Evaluate(
	ctx context.Context, g *core.Game, bag *core.Bag, truth []core.Truth,
	explanations []core.Explanation, o Options,
) ([]Row, error) {
	if err := Check(g, explanations); err != nil {
		return nil, err
	}
	j, err := NewBagMetrics(ctx, g, bag, truth, o)
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

// check returns a *ScoresError if an explanation cannot be judged in a game.
func check(e core.Explanation, g *core.Game) error {
	reason := ""
	switch {
	case e.Class < 0 || e.Class >= g.Classes():
		reason = fmt.Sprintf("the model has %d classes", g.Classes())
	case len(e.Scores) != g.Instances():
		reason = fmt.Sprintf("it has %d scores for %d instances", len(e.Scores), g.Instances())
	case slices.ContainsFunc(e.Scores, math.IsNaN):
		reason = fmt.Sprintf("the score of instance %d is NaN",
			slices.IndexFunc(e.Scores, math.IsNaN))
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

// References returns rankings for comparison, for each explained class: RowRandom, and RowOracle if
// instances have labels and the table of truth has an entry for the class.
func (j *BagMetrics) References(explanations []core.Explanation) []core.Explanation {
	classes := explained(explanations)
	return append(j.randomRows(classes), j.oracleRows(classes)...)
}

// randomRows returns a random ranking for each class. Its random stream is independent of all other
// orders.
func (j *BagMetrics) randomRows(classes []int) []core.Explanation {
	r := stream(j.options.Seed, j.bag, "metric/random row")
	var out []core.Explanation
	for _, class := range classes {
		scores := make([]float64, j.bag.Len())
		for i := range scores {
			scores[i] = r.Float64()
		}
		out = append(out, core.Explanation{Method: RowRandom, Class: class, Scores: scores,
			R2: math.NaN()})
	}
	return out
}

// oracleRows returns rankings with the true relevance of each instance as its score, for each class
// with labels.
func (j *BagMetrics) oracleRows(classes []int) []core.Explanation {
	var out []core.Explanation
	for _, class := range classes {
		rel := j.relevance(class)
		if _, labelled := count(rel); labelled == 0 {
			continue
		}
		scores := make([]float64, len(rel))
		for i, r := range rel {
			if r != Unlabelled {
				scores[i] = float64(r)
			}
		}
		out = append(out, core.Explanation{Method: RowOracle, Class: class, Scores: scores,
			R2: math.NaN()})
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
