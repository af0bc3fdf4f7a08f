package host

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// plan returns how coalitions of a bag are evaluated. The encoded bag stays in the binding, as
// after an explanation, so that an explanation that follows does not encode it again.
func (h *Host) plan(ctx context.Context, r wire.Plan) (any, error) {
	m, in, err := h.input(0, target{model: r.Model, bag: r.Bag, without: r.Without}, nil)
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
	return planned(ev.(requestEvaluator).Bound), nil
}

// planned describes how coalitions of a bound bag are evaluated.
func planned(ev *onnxbackend.Bound) wire.Planned {
	p := ev.Plan()
	out := wire.Planned{Strategy: p.Strategy, Bytes: int(ev.Bytes()), Why: p.Why}
	for _, n := range p.Prefix {
		out.Once = append(out.Once, steps(n)...)
	}
	// The operators that mix instances are the reason for the cut.
	for _, n := range p.Suffix {
		out.Each = append(out.Each, steps(n)...)
		if n.Mixes() {
			out.Meet = append(out.Meet, n.Op)
		}
	}
	return out
}

// steps returns the operators that a node computes, in order.
func steps(n onnxbackend.NodeInfo) []string {
	// Passes merge operators into the node before them.
	out := []string{n.Op}
	if n.Activation != "" {
		out = append(out, n.Activation)
	}
	return append(out, n.Then...)
}
