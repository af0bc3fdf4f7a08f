package suffix

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// Strategies that do not pool all coalitions together.
const (
	Gathered = "gathered" // instances are encoded once, and a coalition gathers its own
	Plain    = "plain"    // the whole graph runs for every coalition
)

// ErrDeviates is the error of Choose if the CPU computes other scores than the device. The caller
// binds the bag again without the device.
var ErrDeviates = errors.New("the CPU computes other scores than it on random coalitions")

// Choose returns the evaluator of a bag. Unless plain is given, it uses the fastest strategy that
// the graph allows and that agrees with the whole graph on random coalitions. boundary has the IDs
// of the boundary values. The error is ErrDeviates if a device encoded the bag wrongly.
func Choose(
	ctx context.Context, c *Cache, bag Bag, boundary []int, plain bool,
) (*Evaluator, error) {
	// The plain strategy always exists, and the others are compared with it. The name loses a bit
	// so that it fits an int of a task.
	e := &Evaluator{Bag: bag, Strategy: Plain, name: rand.Uint64() >> 1}
	var err error
	if e.Suffix, err = e.newSuffix(c, append([]int{e.Input}, e.Fitted.BesideIDs()...),
		e.Fitted.Axis); err != nil {
		return nil, err
	}
	if !plain {
		if err := e.encodeOnce(ctx, c, boundary); err != nil {
			return nil, err
		}
	}
	if err := e.findLeast(ctx, c); err != nil {
		return nil, err
	}
	return e, e.checkOrder(ctx)
}

// encodeOnce moves to the fastest strategy that exists and that random coalitions show to be equal
// to the plain one: pooled, else gathered.
func (e *Evaluator) encodeOnce(ctx context.Context, c *Cache, boundary []int) error {
	plain := e.Suffix
	s, err := plain, error(nil)
	// The axis of a single instance can become that of the scores. Then no operator mixes
	// instances.
	if e.Places[e.Output.ID].Class != ops.Instance {
		s, err = e.newSuffix(c, boundary, -1)
	}
	if err != nil {
		return err
	}
	given := append(e.Fitted.BesideIDs(), e.Input)
	if !slices.ContainsFunc(s.Boundary, func(b BoundaryValue) bool {
		return !slices.Contains(given, b.ID)
	}) {
		s = plain // nothing is computed before instances meet
	}
	// Pooling is tried even if nothing is encoded once: the suffix is then the whole graph.
	pooled, how, whyNot := e.newPooled(ctx, s)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if pooled != nil {
		pooled.device.Verify(true) // also on a device that would not pay for so few coalitions
		wrong, err := e.verify(ctx, pooled, s, plain)
		if err != nil {
			return err
		}
		pooled.device.Verify(false)
		if wrong == "" {
			e.note(pooled.device.Note())
			e.Suffix, e.Pooled, e.Strategy = s, pooled, how
			return nil
		}
		whyNot = "pooling them all at once " + wrong
		e.note("Coalitions run one by one: " + whyNot + ".")
	}
	// Gathering is the next best strategy. It needs something that is encoded once.
	e.WhyNot = whyNot
	if s == plain {
		e.stayPlain("No operator treats instances alone: the whole graph runs for every coalition.")
		return plain.verifyBatches(ctx)
	}
	wrong, err := e.verify(ctx, s, s, plain)
	if err != nil {
		return err
	}
	if wrong != "" {
		e.stayPlain("Encoding instances once " + wrong +
			": the whole graph runs for every coalition.")
		return nil
	}
	e.Suffix, e.Strategy = s, Gathered
	return s.verifyBatches(ctx)
}

// stayPlain records why the strategy is Plain.
func (e *Evaluator) stayPlain(why string) {
	e.WhyPlain = why
	e.note(why)
}
