package host

import (
	"context"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// explain explains a bag.
func (h *Host) explain(ctx context.Context, id uint32, r wire.Explain) (any, error) {
	defer h.closePool(id)
	m, in, err := h.input(ctx, id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	settings := ask.Settings{Data: r.Settings, MethodOptions: r.Options, Trust: r.Trust,
		Reference: r.Reference, Seed: r.Seed, Budget: r.Budget, Bytes: r.Memory,
		Workers: h.workers(m), Output: word(r.Output), Indices: given(r.Classes)}
	if r.Methods != nil {
		settings.Methods = append([]string{}, *r.Methods...) // not nil: no method is an error
	}
	engine := in.Engine.(*RequestModel)
	engine.plan = r.Plan
	if r.Predict {
		engine.predicted = func(p *onnxbackend.Prediction) error {
			read, err := ask.Read(p, settings.Output)
			if err == nil {
				h.send(id, wire.Predicted{Raw: *p, Read: read})
			}
			return err
		}
	}
	if r.Trace {
		engine.trace = new([]string)
		settings.Workers = 1 // a trace has the order of the evaluations
	}
	plan, err := settings.Plan()
	if err != nil {
		return nil, err
	}
	if r.SkipMissing != nil {
		plan.SkipMissing = *r.SkipMissing
	}
	if r.Coalitions != nil {
		if err := plan.ReplaceRows(*r.Coalitions, in.Bag.Len()); err != nil {
			return nil, err
		}
	}
	if r.Notes {
		plan.Slow = h.noted(id)
	}
	x, err := plan.Explain(ctx, in, h.progress(id, r.Watch))
	if err != nil {
		return nil, err
	}
	out := wire.Explained{Attributions: x.Attributions(), Scales: draw.Scales(x.Report),
		Instances: in.Positions()}
	if r.Trace {
		out.Coalitions = *engine.trace
	}
	return out, nil
}

// word returns a word of a message, nil for none.
func word(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// A target is the bag of a request without some instances, with its model.
type target struct {
	model, bag int // handles
	without    []int
	watch      bool // send progress
}
