package host

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// breathing returns a context whose Err, which long computations call often, lets others have their
// turn before it answers. On a single thread this is the only moment at which a cancellation can
// arrive.
func (h *Host) breathing(ctx context.Context) context.Context {
	if h.config.Breathe == nil {
		return ctx
	}
	return breath{ctx, h.config.Breathe}
}

type breath struct {
	context.Context
	breathe func()
}

func (b breath) Err() error {
	b.breathe()
	return b.Context.Err()
}

// A witness is the evaluator of a model that hands the breath on to the evaluations, shares them with a crew,
// and notes which coalitions are evaluated.
type witness struct {
	*onnxbackend.Bound
	host  *Host
	crew  *onnxbackend.Helpers
	trace *[]string // of 0 and 1, a character an instance; nil when nobody asks
}

// maxTrace bounds the characters of a trace: all single instances of 11,000, and as many coalitions of more.
const maxTrace = 1 << 27

// What an evaluator offers besides evaluating must not be lost on the way to the core.
var _ interface {
	core.Evaluator
	core.InstanceEvaluator
	core.NeighbourEvaluator
	core.Attender
	core.Batcher
	core.Calculator
	core.Noter
	core.Sizer
} = witness{}

// Evaluate notes the coalitions and hands the breath on.
func (w witness) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if err := w.note(z); err != nil {
		return err
	}
	return w.EvaluateWith(w.host.breathing(ctx), w.crew, dst, z)
}

// note adds coalitions to the trace, if there is one and it has room.
func (w witness) note(z *core.Coalitions) error {
	if w.trace == nil {
		return nil
	}
	if n := (len(*w.trace) + z.Len()) * z.Instances(); n > maxTrace {
		return &core.SettingError{Setting: "trace", Reason: fmt.Sprintf("the coalitions take %d characters, and at most %d can be returned; omit trace, use fewer samples, or explain a smaller bag", n, maxTrace)}
	}
	for j := range z.Len() {
		if z.Size(j) > 0 { // a neighbour may be empty, and is not evaluated
			*w.trace = append(*w.trace, z.String(j))
		}
	}
	return nil
}

// EvaluateInstances hands the breath on, and notes the coalitions. A crew shares coalitions by masks.
// A trace must not change how they are evaluated: masks round differently.
func (w witness) EvaluateInstances(ctx context.Context, dst []float64, removed bool, lo, hi int) error {
	if w.Shares(w.crew) {
		return w.Evaluate(ctx, dst, core.InstanceCoalitions(w.Task().Instances, removed, lo, hi))
	}
	if w.trace != nil {
		if err := w.note(core.InstanceCoalitions(w.Task().Instances, removed, lo, hi)); err != nil {
			return err
		}
	}
	return w.Bound.EvaluateInstances(w.host.breathing(ctx), dst, removed, lo, hi)
}

// EvaluateNeighbours hands the breath on, and notes the neighbours.
func (w witness) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	if w.trace != nil {
		if err := w.note(core.NeighbourCoalitions(w.Task().Instances, z)); err != nil {
			return err
		}
	}
	return w.Bound.EvaluateNeighbours(w.host.breathing(ctx), dst, z)
}

// Attention hands the breath on.
func (w witness) Attention(ctx context.Context, class int) ([]float64, error) {
	return w.Bound.Attention(w.host.breathing(ctx), class)
}

// Batch leaves the crew enough to share.
func (w witness) Batch() int { return w.BatchWith(w.crew) }
