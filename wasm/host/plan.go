package host

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// plan returns how coalitions of a bag are evaluated. The encoded bag stays in the binding, as
// after an explanation, so that an explanation that follows does not encode it again.
func (h *Host) plan(ctx context.Context, r wire.Plan) (any, error) {
	m, in, err := h.input(ctx, 0, target{model: r.Model, bag: r.Bag, without: r.Without}, nil)
	if err == nil {
		_, err = fileOf(m)
	}
	if err != nil {
		return nil, err
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	return ask.PlannedOf(ev.(requestEvaluator).Bound), nil
}
