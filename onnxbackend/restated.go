package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// EvaluateCovariates implements core.CovariateEvaluator: it runs the graph from the encoded bag. It
// returns false if one of the covariates is part of what is encoded of the instances, and if such a
// run does not give the bag's own scores.
func (b *Bound) EvaluateCovariates(
	ctx context.Context, dst []float64, list []core.Covariate,
) (done bool, err error) {
	defer fault.Rescue(&err)
	r, ok := b.fromEncoded(list)
	if !ok {
		return false, nil
	}
	defer r.Close()
	own := make([]float64, len(dst))
	bag := b.suffix.Fitted.Bag
	if err := b.restated(ctx, r, own, bag); err != nil {
		return false, err
	}
	whole, err := b.suffix.Whole[b.classes.ID].Float64s()
	if err != nil {
		return false, err
	}
	if whole, err = b.classes.Reading(whole); err != nil {
		return false, err
	}
	if !tolerance.Agree(own, whole, bag.Len()) {
		return false, nil
	}
	return true, b.restated(ctx, r, dst, bag.WithCovariates(list...))
}

// fromEncoded returns a runner from all covariates, and from the boundary values that do not depend
// on those of a list, to the class scores. It reports whether there is one.
func (b *Bound) fromEncoded(list []core.Covariate) (*plan.Runner, bool) {
	follows := make([]bool, len(b.m.g.Values)) // (value) it depends on a covariate of the list
	var given []int
	for _, c := range b.m.sig.Covariates() {
		follows[c.ID] = (&core.Bag{Covariates: list}).Covariate(c.Name) != nil
		given = append(given, c.ID)
	}
	for _, n := range b.m.g.Nodes {
		if slices.ContainsFunc(n.In, func(id int) bool { return id >= 0 && follows[id] }) {
			for _, id := range n.Out {
				if id >= 0 {
					follows[id] = true
				}
			}
		}
	}
	for _, v := range b.suffix.Suffix.Boundary {
		if !follows[v.ID] {
			given = append(given, v.ID)
		}
	}
	p, ok := plan.New(b.m.g, given, []int{b.classes.ID})
	if !ok {
		return nil, false
	}
	return plan.NewRunner(p, b.m.limits.run()), true
}

// restated writes the scores of the bag with its covariates, which may be others than when it was
// bound.
func (b *Bound) restated(
	ctx context.Context, r *plan.Runner, dst []float64, bag *core.Bag,
) error {
	fitted, err := b.m.sig.Fit(bag)
	if err != nil {
		return err
	}
	r.Begin(ctx)
	for _, v := range b.suffix.Suffix.Boundary {
		switch {
		case slices.Contains(b.m.sig.BesideIDs(), v.ID),
			r.Program().Reads(v.ID) == plan.ReadsNothing:
		case v.Bag != nil:
			if err := fitted.Load(r.Machine(), r.Slot(v.ID)); err != nil {
				return err
			}
		default:
			r.Give(v.ID, v.Value)
		}
	}
	if err := fitted.GiveBeside(r); err != nil {
		return err
	}
	if err := r.Run(nil); err != nil {
		return err
	}
	made := r.Value(b.classes.ID)
	if err := b.m.sig.CheckCount(b.classes, made.Shape, bag.Len()); err != nil {
		return err
	}
	scores, err := made.Float64s()
	if err != nil {
		return err
	}
	if err := signature.CheckScores(bag, scores); err != nil {
		return err
	}
	scores, err = b.classes.Reading(scores)
	copy(dst, scores)
	return err
}
