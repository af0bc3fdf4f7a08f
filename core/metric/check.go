package metric

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// A CheckQuestion asks for sanity checks of the map of one bag for one class (METHODS section 2).
type CheckQuestion struct {
	Class  int
	Method core.Method // nil means the default of the model, see methods.DefaultFor
	// Layers is the number of the model's layers, and Randomised returns the model with the weights
	// of its last layers shuffled. Layers are not randomised if either is missing.
	Layers     int
	Randomised func(ctx context.Context, layers int, seed uint64) (core.Model, error)
	// Noise is the standard deviation of the noise relative to that of the values, 0 means .05.
	Noise float64
	// Marked is the share of the instances that get a mark, 0 means .1; at least one gets it.
	Marked float64
}

// Checks are sanity checks of the map of one bag for one class.
type Checks struct {
	Method     string
	Class      int
	Layers     *LayersCheck // nil if the model has no layers to randomise
	Noise      *NoiseCheck
	Mark       *MarkCheck
	Prediction []float64 // (class)
	// Seeds is the rank correlation of the map with that of another seed, to compare others with.
	Seeds       float64
	Evaluations int // coalitions that all models scored
	Notes       []string
}

// Defaults of a CheckQuestion.
const (
	usualNoise  = .05
	usualMarked = .1
	mostNoise   = 10
	checkDraws  = 3 // draws of random weights, and of noise
)

// CheckMap runs the sanity checks. Each binds changed bags, or the bag to changed models, and
// explains it again: up to 13 explanations in all.
//
// Errors: a *core.SettingError for a wrong question, a *core.UnavailableError for a bag of one
// instance, and those of Model.Bind and core.Game.Explain.
func CheckMap(
	ctx context.Context, model core.Model, bag *core.Bag, q CheckQuestion, o core.GameOptions,
) (*Checks, error) {
	if err := q.check(model, bag); err != nil {
		return nil, err
	}
	c := &checker{bag: bag, q: q, o: o, out: &Checks{Class: q.Class}}
	var err error
	if c.map0, err = c.explain(ctx, model, bag, o.Seed); err != nil {
		return nil, err
	}
	c.out.Method, c.out.Prediction = c.q.Method.Name(), c.map0.prediction
	again, err := c.explain(ctx, model, bag, o.Seed+1)
	if err != nil {
		return nil, err
	}
	c.out.Seeds = c.agreement(again)
	for _, check := range []func(context.Context, core.Model) error{c.layers, c.noise, c.mark} {
		if err := check(ctx, model); err != nil {
			return nil, err
		}
	}
	return c.out, nil
}

// check returns an error for a wrong question, and fills in defaults.
func (q *CheckQuestion) check(model core.Model, bag *core.Bag) error {
	if q.Noise == 0 {
		q.Noise = usualNoise
	}
	if q.Marked == 0 {
		q.Marked = usualMarked
	}
	switch {
	case model == nil:
		return &core.SettingError{Setting: "model", Reason: "it is nil"}
	case !(q.Noise > 0 && q.Noise < mostNoise):
		return &core.SettingError{Setting: "noise", Reason: "must be above 0 and below 10: it is " +
			"relative to the standard deviation of the values"}
	case !(q.Marked > 0 && q.Marked <= 1):
		return &core.SettingError{Setting: "marked", Reason: "must be above 0 and at most 1: " +
			"it is a share of the instances"}
	case bag.Len() < 2:
		return &core.UnavailableError{Reason: "a map of one instance has no order to check"}
	}
	return nil
}

// A checker holds what the checks of one map share.
type checker struct {
	bag  *core.Bag
	q    CheckQuestion
	o    core.GameOptions
	map0 *checkedMap // map of the bag as it is
	out  *Checks
}

// A checkedMap is the map of a bag, with its prediction.
type checkedMap struct {
	core.Explanation
	prediction []float64 // (class)
	unit       core.Unit // unit of the prediction
}

// explain binds a bag and explains it with a seed.
func (c *checker) explain(
	ctx context.Context, model core.Model, bag *core.Bag, seed uint64,
) (*checkedMap, error) {
	o := c.o
	o.Seed = seed
	if used := c.out.Evaluations; o.Budget > 0 && used >= o.Budget {
		return nil, &core.BudgetError{Used: used, Needed: 1, Budget: o.Budget}
	}
	o.Budget = max(0, o.Budget-c.out.Evaluations)
	ev, err := model.Bind(ctx, bag)
	if err != nil {
		return nil, err
	}
	if err := c.choose(ev); err != nil {
		return nil, err
	}
	g, err := core.NewGame(ev, o)
	if err != nil {
		return nil, err
	}
	report, err := g.Explain(ctx, core.Request{Methods: []core.Method{c.q.Method},
		Classes: []int{c.q.Class}})
	c.out.Evaluations += g.Evaluations() // also those of a map that fails
	if err != nil {
		return nil, err
	}
	return &checkedMap{report.Explanations[0], report.Prediction,
		report.Units[c.q.Class]}, nil
}

// choose sets the method to the default of the model if the question names none.
func (c *checker) choose(ev core.Evaluator) error {
	if c.q.Method != nil {
		return nil
	}
	name, note := methods.DefaultFor(ev.Task())
	usual, err := methods.New([]string{name}, methods.Options{})
	if err != nil {
		return err
	}
	if c.q.Method = usual[0]; note != "" {
		c.out.Notes = append(c.out.Notes, note)
	}
	return nil
}

// agreement returns the rank correlation of a map with that of the bag as it is. Scores that are
// not evidence count as neutral, as in pictures.
func (c *checker) agreement(m *checkedMap) float64 {
	return Spearman(withoutNoise(c.map0.Explanation), withoutNoise(m.Explanation))
}

// change returns by how much the prediction of a map differs for the class.
func (c *checker) change(m *checkedMap) float64 {
	return m.prediction[c.q.Class] - c.map0.prediction[c.q.Class]
}

// much reports whether a change of the prediction is one that readers notice: five points of a
// probability, or a twentieth of the largest score.
func (c *checker) much(change float64) bool {
	scale := 1.
	if c.map0.unit != core.UnitProbability {
		scale = 0
		for _, v := range c.map0.prediction {
			scale = max(scale, math.Abs(v))
		}
	}
	return math.Abs(change) >= .05*scale
}

// random returns a stream of random numbers with a name.
func (c *checker) random(name string, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(c.o.Seed+uint64(draw), (&core.Bag{}).Hash(name)))
}

// copyBag returns the bag with a copy of its values.
func (c *checker) copyBag() *core.Bag {
	out := *c.bag
	out.Values = slices.Clone(c.bag.Values)
	return &out
}
