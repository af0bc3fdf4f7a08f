package core

import (
	"context"
	"slices"
)

// A CovariateEvaluator is an Evaluator that scores its whole bag with other covariates for less
// than binding the bag again.
type CovariateEvaluator interface {
	// EvaluateCovariates writes the scores of the whole bag with these covariates in place of its
	// own to dst, (class), on the task's scale: what the evaluator of [Bag.WithCovariates] writes
	// for it, up to rounding. It returns false if the bag has to be bound again, and the errors of
	// Model.Bind.
	EvaluateCovariates(ctx context.Context, dst []float64, list []Covariate) (bool, error)
}

// FullWith returns F(X), on the output of the game, if covariates of its bag take other values. It
// counts one evaluation unless the bag states these values. model and bag are those of the game.
// Errors are those of Model.Bind and of Full.
func (g *Game) FullWith(
	ctx context.Context, model Model, bag *Bag, list []Covariate,
) ([]float64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !slices.ContainsFunc(list, func(c Covariate) bool {
		return !slices.Equal(c.Values, bag.Covariate(c.Name))
	}) {
		return g.Full(ctx) // exactly, not up to rounding
	}
	full, err := g.restated(ctx, list)
	if full == nil && err == nil {
		full, err = g.boundFull(ctx, model, bag.WithCovariates(list...))
	}
	if err != nil {
		return nil, err
	}
	g.ReportEvaluations(1)
	return full, nil
}

// restated returns F(X) with other covariates by the evaluator of the bag, or nil if it cannot.
func (g *Game) restated(ctx context.Context, list []Covariate) ([]float64, error) {
	ev, ok := g.ev.(CovariateEvaluator)
	if !ok {
		return nil, nil
	}
	full := make([]float64, g.Classes())
	if ok, err := ev.EvaluateCovariates(ctx, full, list); !ok || err != nil {
		return nil, err
	}
	g.Convert(full)
	if err := g.checkFinite(full, func(int) string { return "of all instances" }); err != nil {
		return nil, err
	}
	return full, g.checkPrediction(full)
}

// boundFull returns F(X) of another bag, which it binds.
func (g *Game) boundFull(ctx context.Context, model Model, bag *Bag) ([]float64, error) {
	ev, err := model.Bind(ctx, bag)
	if err != nil {
		return nil, err
	}
	if g.folds > 0 {
		ev = Apart(ev)
	}
	of, err := NewGame(ev, GameOptions{Output: g.options.Output, Workers: g.options.Workers})
	if err != nil {
		return nil, err
	}
	return of.Full(ctx)
}
