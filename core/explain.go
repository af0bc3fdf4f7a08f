package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Request holds the methods, classes and limits of an explanation of one bag.
type Request struct {
	Methods []Method
	Classes []int // classes to explain, nil for all
	// list methods that the model does not support in the report, instead of failing
	SkipMissing bool
	// Later is the number of evaluations that may follow in the same game. They are part of the
	// total that Progress reports; the caller must call Finish after them.
	Later int
	// maximum number of bytes for the bag and its explanation, 0 for no limit; see Needs
	Memory int64
	GameOptions
}

// Explain explains a bag by every requested method for every requested class. Methods run in the
// given order and share cached values.
//
// It returns a *BagError if the bag has fewer instances than the model takes, a *SettingError for
// an invalid request, an *EvaluatorError for an evaluator that no model has, and a
// *quota.MemoryError if the request needs more than its Memory. If it fails during the work, it
// returns the error and a report with the finished explanations: the errors of [Game.Full], an
// *UnavailableError for a method that the model does not support, or a *MethodError for a method
// that returns no scores of the bag.
func Explain(ctx context.Context, ev Evaluator, req Request) (*Report, error) {
	g, err := NewGame(Apart(ev), req.GameOptions)
	if err != nil {
		return nil, err
	}
	return g.Explain(ctx, req)
}

// Explain is the function Explain for an existing game, so that metrics can use its cached values
// afterwards, with its errors. It ignores the request's GameOptions, because the game has its own.
func (g *Game) Explain(ctx context.Context, req Request) (*Report, error) {
	if err := g.Check(req); err != nil {
		return nil, err
	}
	classes := g.requested(req)
	held := int64(0)
	if s, ok := g.ev.(Sizer); ok {
		held = s.Bytes()
	}
	if err := req.CheckMemory(held, g.task); err != nil {
		return nil, err
	}
	g.total = g.Evaluations() + 1 + req.Later
	for _, m := range req.Methods {
		for _, of := range g.byHead(classes) {
			g.total += g.bound(m, len(of))
		}
	}
	var err error
	report := &Report{Output: g.Output(), Units: g.Units()[:g.own()], Seed: g.options.Seed}
	defer func() { // also after an error: the evaluator adds notes during the work
		report.Evaluations = g.Evaluations()
		report.Notes = append(g.notes(), report.Notes...)
	}()
	full, err := g.Full(ctx)
	if err != nil {
		return report, err
	}
	report.Prediction = full[:g.own()]
	for of := range slices.Chunk(full[g.own():], g.own()) {
		report.Folds = append(report.Folds, of)
	}
	for _, m := range req.Methods {
		explanations, err := g.attribute(ctx, m, classes, report.Prediction)
		var missing *UnavailableError
		if errors.As(err, &missing) && missing.Method == "" {
			missing.Method = m.Name()
		}
		var bad *NonFiniteError
		if errors.As(err, &bad) && bad.Unanswered.Of == 0 {
			bad.Method = m.Name()
		}
		switch {
		case req.SkipMissing && missing != nil:
			report.Skipped = append(report.Skipped, Skipped{m.Name(), missing.Reason})
		case err != nil:
			return report, err
		default:
			report.Explanations = append(report.Explanations, explanations...)
		}
	}
	if req.Later == 0 {
		g.Finish()
	}
	return report, nil
}

// bound returns an upper bound of the evaluations of a method in this game. Method.Evaluations is a
// bound for any game.
func (g *Game) bound(m Method, classes int) int {
	n := 0
	if b, ok := m.(GameBounder); ok {
		n = b.EvaluationsIn(g, classes)
	} else {
		n = m.Evaluations(g.Instances(), classes)
	}
	if _, ok := m.(Adaptive); ok && g.folds > 0 {
		n *= 2 // those of the mean, and as many by each model
	}
	return n
}

// Neighbours returns the evaluator of the neighbours of coalitions, nil if the model has
// none.
func (g *Game) Neighbours() NeighbourEvaluator {
	if ev, ok := g.ev.(NeighbourEvaluator); ok && ev.HasNeighbours() {
		return ev
	}
	return nil
}

// notes returns the evaluator's notes, and notes on the least bag and on raw scores.
func (g *Game) notes() (notes []string) {
	if n, ok := g.ev.(Noter); ok {
		notes = slices.Clone(n.Notes())
	}
	if g.LeastBag() > 1 {
		other := "smaller"
		if g.Step() > 1 {
			other = "other"
		}
		notes = append(notes, msg.Sprintf(
			"the model takes bags of %s instances: no %s coalition is drawn", g.Sizes(), other))
	}
	if slices.ContainsFunc(g.heads, playedHead.unknown) {
		notes = append(notes,
			"the model's scores are not probabilities and are explained unchanged")
	}
	return notes
}

// Check returns the error with which Explain rejects a request before any evaluation, except for
// its memory: a *SettingError for invalid methods, classes or settings of methods.
func (g *Game) Check(req Request) error {
	if len(req.Methods) == 0 {
		return &SettingError{Setting: "methods",
			Reason: "no method is given; name at least one"}
	}
	if req.Classes != nil && len(req.Classes) == 0 {
		return &SettingError{Setting: "classes",
			Reason: "no class is given; name at least one, or omit the setting for all"}
	}
	for n, c := range req.Classes {
		if c < 0 || c >= g.own() {
			return &SettingError{Setting: "classes",
				Reason: fmt.Sprintf(
					"there is no class %d; the model has %d classes, numbered from 0", c,
					g.own())}
		}
		if slices.Contains(req.Classes[:n], c) {
			return &SettingError{Setting: "classes",
				Reason: fmt.Sprintf("class %d is given twice", c)}
		}
	}
	for n, m := range req.Methods {
		if m == nil {
			return &SettingError{Setting: "methods",
				Reason: fmt.Sprintf("method %d of %d is nil", n+1, len(req.Methods))}
		}
		if err := g.validate(m, g.requested(req)); err != nil {
			return err
		}
	}
	return nil
}

// requested returns the classes of a request, all of them if it has none.
func (g *Game) requested(req Request) []int {
	if req.Classes == nil {
		return linear.Indices(g.own())
	}
	return req.Classes
}

// validate returns the error of a method's settings for the heads of the classes.
func (g *Game) validate(m Method, classes []int) error {
	v, ok := m.(Validator)
	if !ok {
		return nil
	}
	for _, of := range g.byHead(classes) {
		g.Enter(of[0])
		if err := v.Validate(g); err != nil {
			return err
		}
	}
	return nil
}

// ExplainAgain runs a method with a second seed, derived from the game's seed, and returns an
// explanation for each class, in the order of classes. Errors are those of Explain.
func (g *Game) ExplainAgain(ctx context.Context, m Method, classes []int) ([]Explanation, error) {
	if err := g.Check(Request{Methods: []Method{m}, Classes: classes}); err != nil {
		return nil, err
	}
	prediction, err := g.Full(ctx)
	if err != nil {
		return nil, err
	}
	seed := g.options.Seed
	defer func() { g.options.Seed = seed }()
	g.options.Seed = seed ^ 0x9e3779b97f4a7c15
	return g.attribute(ctx, m, classes, prediction)
}

// Finish calls Progress with total equal to done.
func (g *Game) Finish() {
	if g.options.Progress != nil {
		g.options.Progress(g.done, g.done)
	}
}

// attribute runs a method for each head of the classes, and returns the explanations in the order
// of the classes.
func (g *Game) attribute(
	ctx context.Context, m Method, classes []int, prediction []float64,
) (explanations []Explanation, err error) {
	explanations = make([]Explanation, len(classes))
	evaluations := g.count(func() {
		for _, of := range g.byHead(classes) {
			g.Enter(of[0])
			var list []Explanation
			var a *Attribution
			if list, a, err = g.explainHead(ctx, m, of); err != nil {
				return
			}
			markEvident(list, g.LeastScale(prediction), a)
			for n, c := range of {
				explanations[slices.Index(classes, c)] = list[n]
			}
		}
	})
	for n := range explanations {
		explanations[n].Evaluations = evaluations
	}
	return explanations, err
}

// explainHead runs a method for classes of one head, and returns their explanations and its result.
func (g *Game) explainHead(
	ctx context.Context, m Method, classes []int,
) ([]Explanation, *Attribution, error) {
	_, adaptive := m.(Adaptive)
	all := classes
	if !adaptive {
		all = g.withFolds(classes)
	}
	a, err := m.Attribute(ctx, g, all)
	if err == nil {
		err = checkAttribution(m.Name(), a, all, g.Instances())
	}
	if err != nil {
		return nil, nil, err
	}
	list := g.explanations(m, a, all)
	if adaptive && g.folds > 0 {
		if list, err = g.addFolds(ctx, m, classes, list); err != nil {
			return nil, nil, err
		}
	}
	return g.join(list), a, nil
}

// explanations returns a method's explanations of classes of the head that is explained.
func (g *Game) explanations(m Method, a *Attribution, classes []int) []Explanation {
	var out []Explanation
	for n, c := range classes {
		out = append(out, Explanation{
			Method: m.Name(), Settings: m.Settings(g.Instances()), Class: c,
			Unit: cmp.Or(a.Unit, g.head.unit(g.output)), Scores: a.Scores[n],
			StdErr: ofClass(a.StdErr, n, nil), Freedom: ofClass(a.Freedom, n, 0),
			Low: ofClass(a.Low, n, nil), High: ofClass(a.High, n, nil),
			Neutral: ofClass(a.Neutral, n, 0), R2: ofClass(a.R2, n, math.NaN()),
			Notes: slices.Concat(a.Notes, ofClass(a.ClassNotes, n, nil)),
		})
	}
	return out
}

// ofClass returns entry n of a list that has one entry for each class, or missing if the list is
// nil.
func ofClass[T any](list []T, n int, missing T) T {
	if list == nil {
		return missing
	}
	return list[n]
}
