package onnxbackend

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// maskedWay pools all coalitions of a batch at once. The scores of those whose weights are lost beside the bag's largest
// are in doubt, and computed from logits, or else through the cut.
type maskedWay struct {
	plan   *masked.Plan
	logits logitPlan
	cut    *cut
	// The empty bag and the whole one, whose neighbours are single instances and the bag without each.
	empty, full *masked.Base
	device      *offload.Pool // nil for the CPU alone
}

// maskedBatch is how many coalitions are pooled at a time: enough for the tables behind sums to pay. Where the memory
// of a run does not hold leastBatch, coalitions go one by one.
const (
	maskedBatch = 1024
	leastBatch  = 64
)

// Batch implements core.Batcher.
func (b *Bound) Batch() int {
	if b.masked != nil {
		return min(maskedBatch, b.m.limits.RunBytes/2/max(b.masked.plan.RowBytes(), 1)) // a node at work takes as much again
	}
	return 1
}

// maskedWay finds the masked form of what follows a cut, or says why there is none.
func (b *Bound) maskedWay(ctx context.Context, c *cut) (w *maskedWay, strategy, whyNot string) {
	if n, _ := tensor.Count(b.places[b.scores.ID].Shape); n != b.task.Classes {
		return nil, "", fmt.Sprintf("the output has %d scores where the file declares %d", n, b.task.Classes)
	}
	p, err := b.compileMasked(ctx, c, false)
	if err != nil {
		return nil, "", err.Error()
	}
	if row := p.RowBytes(); row > b.m.limits.RunBytes/2/leastBatch {
		return nil, "", fmt.Sprintf("a coalition takes %d bytes, too many for the limit of a run", row)
	}
	k := b.task.Instances
	all := core.NewCoalitions(k, 1)
	all.AppendWithout()
	none := core.NewCoalitions(k, 1)
	none.AppendEmpty()
	w = &maskedWay{plan: p, cut: c, empty: masked.NewBase(k, none.Row(0)), full: masked.NewBase(k, all.Row(0))}
	w.device = b.m.encoder.Device.Hold(w.plan, k, maskedBatch)
	return w, p.Strategy(), ""
}

// compileMasked compiles the masked form of what follows a cut: of the weights that instances have in the whole bag, or
// of their logits.
func (b *Bound) compileMasked(ctx context.Context, c *cut, logits bool) (*masked.Plan, error) {
	values := map[int]*tensor.Tensor{}
	axes := map[int]int{}
	for _, h := range c.held {
		values[h.id] = h.value
		axes[h.id] = h.axis
	}
	work := c.take(b.m)
	defer c.put(work)
	work.runner.Begin(ctx)
	return masked.Compile(c.program, masked.Source{
		Instances: b.task.Instances,
		Machine:   work.runner.Machine(),
		Logits:    logits,
		Place: func(id int) ops.Place {
			p := b.places[id]
			if axis, ok := axes[id]; ok {
				p.Axis = axis
			}
			return p
		},
		Value: func(id int) *tensor.Tensor {
			if v := b.m.g.Values[id].Const; v != nil {
				return v
			}
			return values[id]
		},
	}, b.scores.ID)
}

// evaluate implements way.
func (w *maskedWay) evaluate(ctx context.Context, b *Bound, dst []float64, z *core.Coalitions) error {
	return w.run(ctx, b, dst, masked.Set{Z: z})
}

// neighbours evaluates neighbours of a coalition. Those below the least bag of the model are NaN.
func (w *maskedWay) neighbours(ctx context.Context, b *Bound, dst []float64, set masked.Set) error {
	doubt, err := w.pool(ctx, b, dst, set)
	if err != nil {
		return err
	}
	classes, least := b.task.Classes, max(1, b.task.Least)
	for j := range doubt {
		if set.Base.Size() > least {
			break // each neighbour has enough instances
		}
		if set.Size(j) < least {
			doubt[j] = false
			for c := range classes {
				dst[j*classes+c] = math.NaN()
			}
		}
	}
	return w.settle(ctx, b, dst, set, doubt)
}

func (w *maskedWay) run(ctx context.Context, b *Bound, dst []float64, set masked.Set) error {
	doubt, err := w.pool(ctx, b, dst, set)
	if err != nil {
		return err
	}
	return w.settle(ctx, b, dst, set, doubt)
}

// settle computes the scores in doubt, if any: from logits, and what is then left by gathering instances.
func (w *maskedWay) settle(ctx context.Context, b *Bound, dst []float64, set masked.Set, doubt []bool) error {
	if !slices.Contains(doubt, true) {
		return nil
	}
	if err := w.poolLogits(ctx, b, dst, set, doubt); err != nil {
		return err
	}
	return w.cut.run(ctx, b, dst, set.Members, doubt)
}

func (w *maskedWay) take(m *Model, p *masked.Plan) *masked.Runner {
	if r, ok := w.cut.masked.Get().(*masked.Runner); ok {
		r.Serve(p)
		return r
	}
	return masked.NewRunner(p, m.limits.run())
}

func (w *maskedWay) put(r *masked.Runner) {
	r.Rest()
	w.cut.masked.Put(r)
}
