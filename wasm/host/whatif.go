package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A whatIf is what a request asks for.
type whatIf[A any] struct {
	wire.Ask
	question interface {
		Common() *ask.Ask
		Answer(ctx context.Context, in *ask.Input, progress func(done, total int)) (*A, error)
	}
	from *wire.OpenModel // opens the model again with shuffled weights; nil for none
	// inRoom bounds memory: a program in a browser has little, and all coalitions of a bag of 20
	// under a model of many classes may exceed it.
	inRoom bool
}

// whatIfs holds the handlers of what-ifs.
var whatIfs = []handler{
	asked(func(r wire.Sets) whatIf[ask.SetsAnswer] {
		return whatIf[ask.SetsAnswer]{Ask: r.Ask,
			question: &ask.SetsQuestion{SetsOptions: r.Options}}
	}),
	asked(func(r wire.Curves) whatIf[ask.CurvesAnswer] {
		return whatIf[ask.CurvesAnswer]{Ask: r.Ask,
			question: &ask.CurvesQuestion{Scores: given(r.Scores)}}
	}),
	asked(func(r wire.Pairs) whatIf[ask.PairsAnswer] {
		return whatIf[ask.PairsAnswer]{Ask: r.Ask, inRoom: true,
			question: &ask.PairsQuestion{PairsOptions: r.Options}}
	}),
	asked(func(r wire.Turn) whatIf[ask.TurnAnswer] {
		return whatIf[ask.TurnAnswer]{Ask: r.Ask,
			question: &ask.TurnQuestion{TurnOptions: r.Options, Members: given(r.Members)}}
	}),
	asked(func(r wire.Inside) whatIf[ask.InsideAnswer] {
		return whatIf[ask.InsideAnswer]{Ask: r.Ask,
			question: &ask.InsideQuestion{InsideOptions: r.Options}}
	}),
	asked(func(r wire.Check) whatIf[ask.CheckAnswer] {
		return whatIf[ask.CheckAnswer]{Ask: r.Ask, from: r.From,
			question: &ask.CheckQuestion{CheckOptions: r.Options}}
	}),
	asked(func(r wire.Groups) whatIf[ask.GroupsAnswer] {
		return whatIf[ask.GroupsAnswer]{Ask: r.Ask, question: &ask.GroupsQuestion{}}
	}),
}

// asked returns the handler of the requests that read translates into a what-if.
func asked[R, A any](read func(r R) whatIf[A]) handler {
	return queued(long(func(h *Host, ctx context.Context, id uint32, r R) (any, error) {
		defer h.closePool(id)
		q := read(r)
		m, in, err := h.input(id, target{q.Model, q.Bag, q.Without, q.Watch},
			h.helpers(id, q.Helpers, q.Eager))
		if err != nil {
			return nil, err
		}
		if q.from != nil {
			in.Randomised = func(_ context.Context, w onnxbackend.Randomize) (core.Model, error) {
				return h.openBytes(*q.from, w)
			}
		}
		*q.question.Common() = ask.Ask{Index: q.Class, Seed: q.Seed, Budget: q.Budget,
			Workers: h.workers(m), Output: word(q.Output)}
		var progress func(done, total int)
		if q.Watch {
			progress = h.progress(id)
		}
		if q.inRoom {
			ctx = h.inRoom(ctx)
		}
		a, err := q.question.Answer(ctx, in, progress)
		if err != nil {
			return nil, err
		}
		return *a, nil
	}))
}

// given returns a list of a message: nil if it is missing, not if it is empty.
func given[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return append([]T{}, *list...)
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
