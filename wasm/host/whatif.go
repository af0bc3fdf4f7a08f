package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A question is a what-if of a request.
type question struct {
	ask.Ask
	input    *ask.Input
	progress func(done, total int) // nil reports nothing
}

// question returns what a request asks. The caller must call closePool when the request ends.
func (h *Host) question(id uint32, q wire.Ask) (*question, error) {
	m, in, err := h.input(id, target{q.Model, q.Bag, q.Without, q.Watch},
		h.helpers(id, q.Helpers, q.Eager))
	if err != nil {
		return nil, err
	}
	out := &question{input: in, Ask: ask.Ask{Index: q.Class, Seed: q.Seed, Budget: q.Budget,
		Workers: h.workers(m), Output: word(q.Output)}}
	if q.Watch {
		out.progress = h.progress(id)
	}
	return out, nil
}

// input returns the model of a request, and its bag without the removed instances.
func (h *Host) input(
	id uint32, r target, helpers *onnxbackend.Helpers,
) (servedModel, *ask.Input, error) {
	m, err := find[servedModel](&h.handles, r.model, "model")
	if err != nil {
		return nil, nil, err
	}
	held, err := h.bag(r.bag)
	if err != nil {
		return nil, nil, err
	}
	bag, instances, err := without(held.bag, r.without)
	if err != nil {
		return nil, nil, err
	}
	in := &ask.Input{Engine: &RequestModel{m, h, id, r, bag, helpers, nil, nil, false}, Bag: bag,
		Whole: held.bag, Notes: held.notes, Picture: held.picture}
	if bag != held.bag {
		in.Instances = instances
	}
	return m, in, nil
}

// progress returns a function that sends progress of evaluations, not more often than a page shows
// it.
func (h *Host) progress(id uint32) func(done, total int) {
	return paced(func(done, total int) {
		h.send(id, wire.Progress{Completed: done, Total: total})
	})
}

// whatIf answers a request by a question about its bag.
func whatIf[R, A any](
	askOf func(R) wire.Ask, answer func(h *Host, ctx context.Context, q *question, r R) (*A, error),
) func(h *Host, ctx context.Context, id uint32, r R) (any, error) {
	return func(h *Host, ctx context.Context, id uint32, r R) (any, error) {
		defer h.closePool(id)
		q, err := h.question(id, askOf(r))
		if err != nil {
			return nil, err
		}
		a, err := answer(h, ctx, q, r)
		if err != nil {
			return nil, err
		}
		return *a, nil
	}
}

// sets answers wire.Sets.
func (h *Host) sets(ctx context.Context, q *question, r wire.Sets) (*ask.SetsAnswer, error) {
	return q.Sets(ctx, q.input, r.Options, q.progress)
}

// curves answers wire.Curves.
func (h *Host) curves(ctx context.Context, q *question, r wire.Curves) (*ask.CurvesAnswer, error) {
	var scores []float64
	if r.Scores != nil {
		scores = append([]float64{}, *r.Scores...) // not nil, so that no score is too few
	}
	return q.Curves(ctx, q.input, scores, q.progress)
}

// pairs answers wire.Pairs. It bounds memory: a program in a browser has little, and all coalitions
// of a bag of 20 under a model of many classes may exceed it.
func (h *Host) pairs(ctx context.Context, q *question, r wire.Pairs) (*ask.PairsAnswer, error) {
	if h.config.Room != nil {
		ctx = quota.WithMemory(ctx, quota.NewMemory(h.config.Room()))
	}
	return q.Pairs(ctx, q.input, r.Options, q.progress)
}

// turn answers wire.Turn.
func (h *Host) turn(ctx context.Context, q *question, r wire.Turn) (*ask.TurnAnswer, error) {
	var from ask.Additions
	if r.Members != nil {
		from.Members = append([]int{}, *r.Members...) // not nil, so that an empty bag is an error
	}
	return q.Turn(ctx, q.input, from, r.Options, q.progress)
}

// inside answers wire.Inside.
func (h *Host) inside(ctx context.Context, q *question, r wire.Inside) (*ask.InsideAnswer, error) {
	return q.Inside(ctx, q.input, r.Options, q.progress)
}

// check answers wire.Check.
func (h *Host) check(ctx context.Context, q *question, r wire.Check) (*ask.CheckAnswer, error) {
	if r.From != nil {
		q.input.Randomised = func(_ context.Context, w onnxbackend.Randomize) (core.Model, error) {
			return h.openBytes(*r.From, w)
		}
	}
	return q.Check(ctx, q.input, r.Options, q.progress)
}

// groups answers wire.Groups.
func (h *Host) groups(ctx context.Context, q *question, _ wire.Groups) (*ask.GroupsAnswer, error) {
	return q.Groups(ctx, q.input, q.progress)
}
