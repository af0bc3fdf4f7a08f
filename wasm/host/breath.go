package host

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core"
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

// A witness is an Evaluator that hands the breath on to the evaluations, whose context is derived
// from the request's and so would lose it, and that notes which coalitions are evaluated. What else
// the core may ask of an evaluator of a model, it passes on.
type witness struct {
	core.Evaluator
	host  *Host
	trace *[]string // of 0 and 1, a character an instance; nil when nobody asks
}

// maxTrace bounds the characters of a trace: all single instances of 11,000, and as many coalitions of more.
const maxTrace = 1 << 27

func (w witness) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if w.trace != nil {
		if n := (len(*w.trace) + z.Len()) * z.Instances(); n > maxTrace {
			return &core.SettingError{Setting: "trace", Reason: fmt.Sprintf("the coalitions of this bag would be %d characters, and %d can be returned; leave trace out, or take fewer samples of a smaller bag", n, maxTrace)}
		}
		for j := range z.Len() {
			*w.trace = append(*w.trace, z.String(j))
		}
	}
	return w.Evaluator.Evaluate(w.host.breathing(ctx), dst, z)
}

// EvaluateInstances passes on to the evaluator that is witnessed; what a trace is to hold goes by masks.
func (w witness) EvaluateInstances(ctx context.Context, dst []float64, removed bool, lo, hi int) error {
	if e, ok := w.Evaluator.(core.InstanceEvaluator); ok && w.trace == nil {
		return e.EvaluateInstances(w.host.breathing(ctx), dst, removed, lo, hi)
	}
	return w.Evaluate(ctx, dst, core.InstanceCoalitions(w.Task().Instances, removed, lo, hi))
}

// Attention passes on to the evaluator that is witnessed.
func (w witness) Attention(ctx context.Context, class int) ([]float64, error) {
	a, ok := w.Evaluator.(core.Attender)
	if !ok {
		return nil, &core.UnavailableError{Method: "inherent", Reason: "the model gives no score to single instances"}
	}
	return a.Attention(w.host.breathing(ctx), class)
}

// Batch passes on what the evaluator that is witnessed wants; 0 is no wish.
func (w witness) Batch() int {
	if b, ok := w.Evaluator.(core.Batcher); ok {
		return b.Batch()
	}
	return 0
}

// Arithmetic passes on that of the evaluator that is witnessed; nil is none.
func (w witness) Arithmetic() core.Arithmetic {
	if c, ok := w.Evaluator.(core.Calculator); ok {
		return c.Arithmetic()
	}
	return nil
}
