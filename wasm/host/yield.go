package host

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// yielding returns a context whose Err calls Config.Yield first. Long computations call Err often.
// On a single thread, a cancellation can only arrive during this call.
func (h *Host) yielding(ctx context.Context) context.Context {
	if h.config.Yield == nil {
		return ctx
	}
	return yieldContext{ctx, h.config.Yield}
}

// A yieldContext yields the thread at each call of Err.
type yieldContext struct {
	context.Context
	yield func()
}

// Err yields and then reports whether the request was cancelled.
func (c yieldContext) Err() error {
	c.yield()
	return c.Context.Err()
}

// A requestEvaluator is the evaluator of a bound bag for one request. It evaluates with a yielding
// context, shares work with helpers, and records the evaluated coalitions.
type requestEvaluator struct {
	*onnxbackend.Bound
	host    *Host
	helpers *onnxbackend.Helpers
	// trace holds the evaluated coalitions as strings of 0 and 1, a character for each instance. It
	// is nil if it was not requested.
	trace *[]string
}

// maxTrace bounds the characters of a trace. It allows the single instances of a bag of 11,000.
const maxTrace = 1 << 27

// A requestEvaluator must implement all optional interfaces of the evaluator that it wraps, because
// a method looks for them.
var _ interface {
	core.Evaluator
	core.Identifier
	core.InstanceEvaluator
	core.NeighbourEvaluator
	core.Attender
	core.Batcher
	core.Calculator
	core.Noter
	core.Sizer
} = requestEvaluator{}

// Evaluate records the coalitions and evaluates them with a yielding context.
func (w requestEvaluator) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := noteTrace(w.trace, z); err != nil {
		return err
	}
	return w.EvaluateWith(w.host.yielding(ctx), w.helpers, dst, z)
}

// noteTrace adds coalitions to a trace, unless it is nil. It returns a *core.SettingError if the
// trace exceeds maxTrace.
func noteTrace(trace *[]string, z *core.Coalitions) error {
	if trace == nil {
		return nil
	}
	// The limit is checked before the strings are created.
	if n := (len(*trace) + z.Len()) * z.Instances(); n > maxTrace {
		return &core.SettingError{Setting: "trace",
			Reason: fmt.Sprintf("the coalitions take %d characters, and at most %d can be "+
				"returned; omit trace, use fewer samples, or explain a smaller bag", n, maxTrace)}
	}
	for j := range z.Len() {
		if z.Size(j) > 0 { // an empty neighbour is not evaluated
			*trace = append(*trace, z.String(j))
		}
	}
	return nil
}

// EvaluateInstances evaluates with a yielding context and records the coalitions. With helpers, it
// evaluates masks, because tasks contain masks. A trace must not change the evaluation, because
// masks round differently.
func (w requestEvaluator) EvaluateInstances(
	ctx context.Context, dst []float64, removed bool, lo, hi int,
) error {
	if w.Shares(w.helpers) {
		return w.Evaluate(ctx, dst, core.InstanceCoalitions(w.Task().Instances, removed, lo, hi))
	}
	if w.trace != nil {
		members := core.InstanceCoalitions(w.Task().Instances, removed, lo, hi)
		if err := noteTrace(w.trace, members); err != nil {
			return err
		}
	}
	return w.Bound.EvaluateInstances(w.host.yielding(ctx), dst, removed, lo, hi)
}

// EvaluateNeighbours evaluates with a yielding context and records the neighbours.
func (w requestEvaluator) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	if w.trace != nil {
		if err := noteTrace(w.trace, core.NeighbourCoalitions(w.Task().Instances, z)); err != nil {
			return err
		}
	}
	return w.Bound.EvaluateNeighbours(w.host.yielding(ctx), dst, z)
}

// Attention computes attention with a yielding context.
func (w requestEvaluator) Attention(ctx context.Context, class int) ([]float64, error) {
	return w.Bound.Attention(w.host.yielding(ctx), class)
}

// Batch returns a batch size that is large enough to share with all helpers.
func (w requestEvaluator) Batch() int { return w.BatchWith(w.helpers) }
