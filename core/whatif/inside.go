package whatif

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/core/internal/surrogate"
	"github.com/bagscope/bagscope/internal/msg"
)

// Hidden is what the pixels of a hidden cell become (METHODS section 7).
type Hidden string

const (
	// HiddenMean is the mean of the bag's instances at the same place: what a pixel is expected to
	// be if nothing is known of the instance. It is the default.
	HiddenMean Hidden = "mean"
	// HiddenBlur is the blurred instance: its colours stay, details disappear. No edges of cells
	// appear that the model could take for a detail.
	HiddenBlur Hidden = "blur"
	// HiddenZero is 0: black pixels, or absent features.
	HiddenZero Hidden = "zero"
)

// HiddenKinds lists all ways to hide, the default first.
func HiddenKinds() []Hidden { return []Hidden{HiddenMean, HiddenBlur, HiddenZero} }

// Parts says what the parts of an instance are.
type Parts string

// Parts of an instance.
const (
	PartsCells Parts = "cells" // square cells, or groups of features
	PartsBands Parts = "bands" // bands of a picture, its channels
)

// Limits and defaults of an InsideQuestion.
const (
	MostCells      = 1 << 11 // the surrogate solves a system of so many unknowns
	usualCells     = 100     // cells of the default grid, at most
	samplesOfCell  = 6       // default samples for each cell
	leastInside    = 400     // least default of samples
	mostInside     = 1 << 16 // samples
	insideContexts = 16      // contexts of the other instances
)

// An InsideQuestion asks which parts of one instance mattered for a class. The parts are square
// cells of a picture, its bands, or groups of features. The bands of features are those of the
// pictures that they were encoded from, see [core.Bag].
type InsideQuestion struct {
	Class    int
	Instance int
	// Strongest, unless it is 0, asks for the bands of so many instances together instead: of those
	// with the largest F_c({x_i}), or of all if the bag has no more.
	Strongest int
	// Cell is the side of a cell in pixels, or its number of features. 0 means the smallest that
	// makes at most 100 cells.
	Cell    int
	Groups  Parts  // "" means PartsCells
	Hidden  Hidden // "" means HiddenMean
	Samples int    // random sets of visible cells to draw, 0 means 6 for each cell, at least 400
	// Fixed keeps all other instances of the bag. Otherwise the scores are means over guided
	// contexts, in which the other instances do not decide without this one.
	Fixed bool
}

// An InsideMap holds the scores of the cells of instances for a class. The score of a cell is
// the mean of
//
//	v(cell and others visible) - v(others visible)
//
// over random sets of visible cells, each cell with probability 1/2. v is the mean of f over random
// contexts of the other instances, and f is that of [methods.Consensus]: the log-odds if the output
// is a probability.
type InsideMap struct {
	Class     int
	Instances []int // whose cells are hidden together, the strongest one first
	Grid      CellGrid
	Hidden    Hidden
	Unit      core.Unit
	// Scores, StdErr and Evident are (cell), row by row. A score above zero supports the class.
	// StdErr is nil if all sets of cells were evaluated. It holds for the contexts that were drawn.
	Scores, StdErr []float64
	Evident        []bool  // whether the score differs from 0 by more than chance explains
	Freedom        float64 // degrees of freedom of StdErr
	// Whole is v of all cells minus v of none: what the instances add to what they become if they
	// are hidden.
	Whole       float64
	Prediction  []float64 // (class) of the bag
	Without     []float64 // (class) of the bag if the instances are hidden
	Samples     int       // sets of visible cells
	Contexts    int       // contexts of the other instances
	Evaluations int       // bags that the model scored for this question
	Notes       []string
}

// Answer returns the scores of the parts of instances of a bag, which the model has bound for
// the game. The model encodes changed instances alone if the game's evaluator is an
// [core.Extender]. For a model in which the order of instances matters, or their relations, each
// changed bag is bound. Pictures that features were encoded from are read one by one.
//
// Cost: the encoding of Samples variants of each instance, and up to 16 evaluations for each.
//
// Errors: a *SettingError for a wrong question, a *BagError for instances without cells, and those
// of Model.Bind, [core.Game.Values] and [core.Pictures].
func (q InsideQuestion) Answer(
	ctx context.Context, g *core.Game, model core.Model, bag *core.Bag,
) (*InsideMap, error) {
	if err := q.check(g, bag); err != nil {
		return nil, err
	}
	shown := picturesOf(bag, q.Groups)
	grid, err := newCellGrid(shown, q.Cell, q.Groups == PartsBands)
	if err != nil {
		return nil, err
	}
	if q.Samples == 0 {
		q.Samples = max(leastInside, samplesOfCell*grid.Cells())
	}
	g.Enter(q.Class)
	out := &InsideMap{Class: q.Class, Grid: grid, Hidden: q.Hidden, Unit: g.OddsUnit(),
		Samples: q.Samples}
	if out.Instances, err = q.instances(ctx, g); err != nil {
		return nil, err
	}
	if out.Prediction, err = g.Full(ctx); err != nil {
		return nil, err
	}
	changed := &changedInstances{g: g, model: model, bag: bag, shown: shown,
		instances: out.Instances, class: q.Class, cellOf: grid.cellOf(), cells: grid.Cells()}
	if changed.hide, err = grid.hide(ctx, shown, q.Hidden); err != nil {
		return nil, err
	}
	if changed.contexts, err = q.contexts(ctx, g, out.Instances); err != nil {
		return nil, err
	}
	out.Contexts = len(changed.contexts)
	// begin evaluates the bag without the instances, and two changed bags up to twice and in each
	// context.
	first := 5 + 2*out.Contexts
	if err := g.CheckBudget(first + out.Contexts); err != nil {
		return nil, err
	}
	if err := changed.begin(ctx, out); err != nil {
		return nil, err
	}
	drawn := out.Contexts
	out.Contexts = len(changed.contexts)
	o := g.Options()
	o.Output = ""
	if shown.from != nil { // one reads and encodes, on all processors
		o.Workers = 1
		o.Progress, changed.encoded = nil, countTo(o.Progress, out.cost()*len(out.Instances))
	}
	if o.Budget > 0 {
		o.Budget = (o.Budget - g.Evaluations() - first) / out.Contexts
	}
	cells, err := core.NewGame(changed, o)
	if err != nil {
		return nil, err
	}
	cells.Expect(out.cost())
	err = out.estimate(ctx, cells)
	if short := (*core.BudgetError)(nil); errors.As(err, &short) {
		return nil, g.CheckBudget(first + (short.Used+short.Needed)*out.Contexts)
	}
	if err != nil {
		return nil, err
	}
	u := cells.LeftOut()
	u.What = "sets of visible cells"
	if u.Most() || stats.NonFinite(out.Scores) >= 0 {
		return nil, changed.unanswered(u.String() + " where")
	}
	out.Notes = append(out.Notes, u.Notes()...)
	out.Evident = stats.Evident(g.LeastScale(out.Prediction),
		stats.Estimate{Values: out.Scores, StdErr: out.StdErr, Freedom: out.Freedom})[0]
	out.Evaluations = cells.Evaluations()*out.Contexts + 2*drawn
	g.AddEvaluations(out.Evaluations)
	return out, nil
}

// estimate fits the scores: an unweighted additive surrogate of random sets of visible cells, each
// with its complement. All sets of up to ten cells are evaluated instead.
//
// The difference of a set and its complement is fitted, sum_c phi_c (2 z_c - 1): what an even
// number of cells do together cancels in it, and the differences are independent, so that the
// standard errors of the fit hold. The coefficients of z are 2 phi.
func (m *InsideMap) estimate(ctx context.Context, cells *core.Game) error {
	n := cells.Instances()
	if n <= sampling.MostEnumerated {
		return m.enumerate(ctx, cells)
	}
	pairs := (m.Samples + 1) / 2
	m.Samples = 2 * pairs
	drawn, err := sampling.Sampler{Instances: n, Number: pairs, Repeats: true}.Draw(ctx,
		sampling.FairCoin(n, cells.Rand("inside")))
	if err != nil {
		return err
	}
	both := core.NewCoalitions(n, m.Samples)
	for j := range pairs {
		both.Append(drawn.Coalitions.Row(j))
		both.Append(drawn.Coalitions.Row(j))
		rows.Complement(both.Row(2*j+1), n)
	}
	values, err := cells.Answers(ctx, both)
	if err != nil {
		return err
	}
	answered, halves := core.NewCoalitions(n, pairs), []float64(nil)
	for j := range pairs {
		if half := (values[2*j] - values[2*j+1]) / 2; !math.IsNaN(half) {
			answered.Append(both.Row(2 * j))
			halves = append(halves, half)
		}
	}
	if len(halves) == 0 {
		m.Scores = slices.Repeat([]float64{math.NaN()}, n)
		return nil
	}
	design, first, err := surrogate.NewDesign(ctx, cells.Arithmetic(), answered,
		surrogate.Weighting{Kernel: func(int) float64 { return 0 }, Scale: true}, true)
	if err != nil {
		return err
	}
	differences := make([]float64, len(first))
	for at, j := range first {
		differences[at] = halves[j]
	}
	fits, err := (&surrogate.Surrogate{Design: design, Classes: 1,
		Drawn: &surrogate.Drawn{}}).Solve(ctx, differences)
	if err != nil {
		return err
	}
	fits[0].SetUnknown()
	m.Scores, m.StdErr, m.Freedom = fits[0].Phi, fits[0].StdErr, fits[0].Freedom
	return nil
}

// cost returns the number of sets of visible cells that are evaluated.
func (m *InsideMap) cost() int {
	if n := m.Grid.Cells(); n <= sampling.MostEnumerated {
		return 1<<n - 1 // all but the empty set
	}
	return m.Samples
}

// enumerate computes the scores from all sets of visible cells: the means of the differences that a
// cell makes to sets. A score without a difference that has an answer is NaN.
func (m *InsideMap) enumerate(ctx context.Context, cells *core.Game) error {
	n := cells.Instances()
	z := sampling.AllProper(n) // all sets but the full one
	z.AppendWithout()
	values, err := cells.Answers(ctx, z)
	if err != nil {
		return err
	}
	none, _ := cells.EmptyValue()
	values = append(none, values...) // set j has the cells that the bits of j name
	m.Scores, m.Samples = make([]float64, n), len(values)
	for i := range m.Scores {
		sum, count := 0.0, 0.0
		for j, v := range values {
			if d := values[j|1<<i] - v; j>>i&1 == 0 && !math.IsNaN(d) {
				sum += d
				count++
			}
		}
		m.Scores[i] = sum / count
	}
	return nil
}

// check returns a *SettingError for a wrong question, and fills in defaults.
func (q *InsideQuestion) check(g *core.Game, bag *core.Bag) error {
	if err := g.CheckClass(q.Class); err != nil {
		return err
	}
	wrong := func(setting, reason string, args ...any) error {
		return &core.SettingError{Setting: setting, Reason: msg.Sprintf(reason, args...)}
	}
	q.Hidden = cmp.Or(q.Hidden, HiddenMean)
	switch {
	case q.Instance < 0 || q.Instance >= bag.Len():
		return wrong("instance", "there is no instance %d; the bag has %d, numbered from 0",
			q.Instance, bag.Len())
	case q.Strongest < 0:
		return wrong("strongest", "must not be negative, got %d; omit it for one instance",
			q.Strongest)
	case q.Strongest > 0 && q.Groups != PartsBands:
		return wrong("strongest", "it hides the same bands of several instances; "+
			"set groups to bands")
	case q.Cell < 0:
		return wrong("cell", "must not be negative, got %d; omit it for the default", q.Cell)
	case q.Groups != "" && q.Groups != PartsCells && q.Groups != PartsBands:
		return wrong("groups", "%q is unknown; use one of cells, bands", q.Groups)
	case !slices.Contains(HiddenKinds(), q.Hidden):
		return wrong("hidden", "%q is unknown; use one of mean, blur, zero", q.Hidden)
	case q.Samples < 0 || q.Samples > mostInside:
		return wrong("samples", "must be between 1 and %d, got %d; omit it for the default",
			mostInside, q.Samples)
	}
	return nil
}
