package onnxbackend

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Strategies of a Bound that do not pool all coalitions at once. Those that do are named by how the model pools:
// mean, sum, max, min, attention, logsumexp, topk, joined by + where it pools in several ways.
const (
	StrategyGathered = "gathered" // instances are encoded once, a coalition gathers theirs
	StrategyPlain    = "plain"    // the whole graph runs for every coalition
)

// Bind encodes a bag. The evaluator is a *Bound. It returns a *core.BagError when the bag does not fit
// the model or has fewer instances than it takes, a *RunError when a node cannot compute and the cause when ctx ends.
func (m *Model) Bind(ctx context.Context, bag *core.Bag) (ev core.Evaluator, err error) {
	defer fault.Rescue(&err)
	b, err := m.bind(ctx, bag, nil, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// BindWith is Bind with helpers that share the encoding. Its result is the same. Progress is called, one call at a time, each
// time that a block of a large bag has been encoded, with how many of its instances are; a small bag has no blocks. Both may be nil.
func (m *Model) BindWith(ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int)) (b *Bound, err error) {
	defer fault.Rescue(&err)
	return m.bind(ctx, bag, pool, progress)
}

func (m *Model) bind(ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int)) (*Bound, error) {
	fitted, err := m.fit(bag)
	if err != nil {
		return nil, err
	}
	input := m.sig.Input()
	a := m.encoder.NewAnalysis(fitted)
	a.KeepValue(input.ID)
	f, err := m.encoder.Forward(ctx, fitted, a, pool, progress)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	s, err := m.scoresFor(ctx, f.Whole())
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	if err := m.sig.CheckCount(s, f.Runner.Value(s.ID).Shape, bag.Len()); err != nil {
		return nil, err
	}
	whole, err := f.Runner.Value(s.ID).Float64s()
	if err != nil {
		return nil, err
	}
	if err := signature.CheckScores(bag, whole); err != nil {
		return nil, err
	}
	s = s.ForBag(whole)
	b := &Bound{m: m, scores: s, strategy: StrategyPlain, places: a.Places, values: len(bag.Values), name: rand.Uint64() >> 1}
	if f.InBlocks() {
		b.bag = &fitted
	}
	b.task = s.Task(bag.Len())
	b.notes = slices.Concat(m.info.Notes, s.Notes, fitted.Notes(), m.encoder.Device.Notes(f.Whole().Runner))
	b.onDevice = offload.Encoded(f.Whole().Runner)
	b.hadDevice = m.encoder.Device.Ready()
	b.look(f.Runner, a)
	plain, err := b.newCut([]int{input.ID}, fitted.Axis)
	if err != nil {
		return nil, err
	}
	b.cut = plain
	if !m.plain {
		err := b.encodeOnce(ctx, a, plain)
		if err == errDeviates {
			m.encoder.Device.Lose(err.Error())
			return m.bind(ctx, bag, pool, progress)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.findLeast(ctx); err != nil {
		return nil, err
	}
	if err := b.lookAtOrder(ctx); err != nil {
		return nil, err
	}
	b.keep(f.Runner)
	f.Done()
	return b, nil
}

// look notes what the run of the whole bag holds at the cut, and the outputs.
func (b *Bound) look(r *plan.Runner, a *prefix.Analysis) {
	b.whole = map[int]*tensor.Tensor{}
	note := func(id int) {
		t := *r.Value(id)
		b.whole[id] = &t
	}
	for _, id := range a.Boundary() {
		note(id)
	}
	for _, p := range b.m.g.Outputs {
		note(p.ID)
	}
}

// keep takes over what the chosen cut reads, and the outputs. All else belongs to the runner's next bag.
func (b *Bound) keep(r *plan.Runner) {
	kept := map[int]*tensor.Tensor{}
	for _, h := range b.cut.held {
		kept[h.id] = b.whole[h.id]
	}
	for _, p := range b.m.g.Outputs {
		kept[p.ID] = b.whole[p.ID]
	}
	for id := range kept {
		r.Leave(id)
	}
	b.whole = kept
}

// encodeOnce moves to the fastest strategy that exists and that random coalitions prove equal to the plain
// one: masked, else gathered.
func (b *Bound) encodeOnce(ctx context.Context, a *prefix.Analysis, plain *cut) error {
	c, err := b.newCut(a.Boundary(), -1)
	if err != nil {
		return err
	}
	if len(c.held) == 1 && c.held[0].id == b.m.sig.Input().ID {
		c = plain // nothing is computed before instances meet
	}
	way, strategy, whyNot := b.maskedWay(ctx, c)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if way != nil {
		way.device.Verify(true)
		wrong, err := b.prove(ctx, way, c, plain)
		if err != nil {
			return err
		}
		way.device.Verify(false)
		if wrong == "" {
			if note := way.device.Note(); note != "" {
				b.notes = append(b.notes, note)
			}
			b.cut, b.masked, b.strategy = c, way, strategy
			return nil
		}
		whyNot = "pooling them all at once " + wrong
		b.notes = append(b.notes, "Coalitions run one by one: "+whyNot+".")
	}
	b.whyNot = whyNot
	if c == plain {
		b.stayPlain("No operator treats instances alone: the whole graph runs for every coalition.")
		return nil
	}
	wrong, err := b.prove(ctx, c, c, plain)
	if err != nil {
		return err
	}
	if wrong != "" {
		b.stayPlain("Encoding instances once " + wrong + ": the whole graph runs for every coalition.")
		return nil
	}
	b.cut, b.strategy = c, StrategyGathered
	return b.proveTogether(ctx, c)
}

func (b *Bound) stayPlain(why string) {
	b.whyPlain = why
	b.notes = append(b.notes, why)
}

// newCut plans the computation of the scores from boundary values. With an axis of -1 the analysis says
// along which axis each lies.
func (b *Bound) newCut(ids []int, axis int) (*cut, error) {
	r, err := b.route(ids)
	if err != nil {
		return nil, err
	}
	c := &cut{route: r}
	for _, id := range ids {
		reads := r.program.Reads(id)
		if reads == plan.ReadsNothing {
			continue
		}
		place := b.places[id]
		h := held{id: id, axis: place.Axis, fixed: place.Class == ops.Constant, value: b.whole[id], sizes: reads == plan.ReadsShape}
		if axis >= 0 {
			h.axis = axis
		}
		if id == b.m.sig.Input().ID && !h.sizes {
			h.bag = b.bag
		}
		c.held = append(c.held, h)
	}
	return c, nil
}
