package host

import (
	"context"

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
	crew  *onnxbackend.Crew
	trace *[]string // of 0 and 1, a character an instance; nil when nobody asks
}

func (w witness) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	if w.trace != nil {
		for j := range z.Len() {
			*w.trace = append(*w.trace, z.String(j))
		}
	}
	return w.EvaluateWith(w.host.breathing(ctx), w.crew, dst, z)
}

// Attention hands the breath on.
func (w witness) Attention(ctx context.Context, class int) ([]float64, error) {
	return w.Bound.Attention(w.host.breathing(ctx), class)
}

// Batch leaves the crew enough to share.
func (w witness) Batch() int { return w.BatchWith(w.crew) }
