package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// check answers wire.Check.
func (h *Host) check(ctx context.Context, id uint32, r wire.Check) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	q := metric.CheckQuestion{Class: of.class, Noise: r.Noise, Marked: r.Marked}
	if r.Method != "" {
		methods, err := core.NewMethods([]string{r.Method}, core.Options{})
		if err != nil {
			return nil, err
		}
		q.Method = methods[0]
	}
	if r.From != nil {
		q.Layers = of.model.Layers()
		q.Randomised = func(_ context.Context, n int, seed uint64) (core.Model, error) {
			return h.openBytes(*r.From, onnxbackend.Randomize{Layers: n, Seed: seed})
		}
	}
	c, err := metric.CheckMap(ctx, of.model, of.bag, q, of.options)
	if err != nil {
		return nil, err
	}
	out := wire.CheckFound{Answered: of.end(c.Notes), Method: c.Method, Seeds: c.Seeds,
		Noise: wire.NoiseCheck(*c.Noise), Mark: wire.MarkCheck(*c.Mark)}
	out.Answered.Evaluations += c.Evaluations
	out.Mark.Instances = of.original(c.Mark.Instances)
	if l := c.Layers; l != nil {
		out.Layers = &wire.LayersCheck{Passed: l.Passed, Sentence: l.Sentence,
			Steps: listOf(l.Steps, func(s metric.LayersStep) wire.LayersStep {
				return wire.LayersStep(s)
			})}
	}
	return out, nil
}
