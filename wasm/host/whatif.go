package host

import (
	"context"
	"reflect"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// whatIfs returns the handlers of what-ifs: for each row of the table of package ask that of the
// message with the name of its types.
func whatIfs() (list []handler) {
	for _, body := range wire.Bodies() {
		t := reflect.TypeOf(body)
		for _, w := range ask.WhatIfs() {
			if t.Name() == w.Type() {
				list = append(list, queued(handler{request: t, answer: func(
					h *Host, ctx context.Context, id uint32, body any,
				) (any, error) {
					return h.whatIf(ctx, id, w.New(), body)
				}}))
			}
		}
	}
	return list
}

// whatIf answers a request by a question, which gets the options of the request.
func (h *Host) whatIf(
	ctx context.Context, id uint32, q *ask.Question, request any,
) (any, error) {
	defer h.closePool(id)
	r := reflect.ValueOf(request)
	in, progress, err := h.ask(ctx, id, r.FieldByName("Ask").Interface().(wire.Ask), &q.Ask)
	if err != nil {
		return nil, err
	}
	if o := r.FieldByName("Options"); o.IsValid() {
		reflect.ValueOf(q.Options).Elem().Set(o)
	}
	switch r := request.(type) {
	case wire.Turn:
		in.Members = given(r.Members)
	case wire.Check:
		if r.From != nil {
			in.Randomised = func(_ context.Context, w onnxbackend.Randomize) (core.Model, error) {
				return h.openBytes(*r.From, w)
			}
		}
	case wire.Pairs:
		// A program in a browser has little memory, and all coalitions of a bag of 20 under a model
		// of many classes may exceed it.
		ctx = h.inRoom(ctx)
	}
	answer, err := q.Answer(ctx, in, progress)
	if err != nil {
		return nil, err
	}
	return reflect.ValueOf(answer).Elem().Interface(), nil
}

// findConcepts answers wire.FindConcepts.
func (h *Host) findConcepts(ctx context.Context, r wire.FindConcepts) (any, error) {
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	in := &ask.Input{Bag: b.bag, Whole: b.bag}
	err = in.NameFile(h.inRoom(ctx), r.Name, r.Bytes, onnxbackend.Options{Name: r.Name})
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	return wire.ConceptsFound{Text: ask.ConceptsText(in.Concepts)}, nil
}

// curves answers wire.Curves.
func (h *Host) curves(ctx context.Context, id uint32, r wire.Curves) (any, error) {
	defer h.closePool(id)
	var q ask.Ask
	in, progress, err := h.ask(ctx, id, r.Ask, &q)
	if err != nil {
		return nil, err
	}
	answer, err := q.Curves(ctx, in, given(r.Scores), progress)
	if err != nil {
		return nil, err
	}
	return *answer, nil
}

// loss answers wire.Loss.
func (h *Host) loss(ctx context.Context, id uint32, r wire.Loss) (any, error) {
	defer h.closePool(id)
	var q ask.Ask
	in, _, err := h.ask(ctx, id, r.Ask, &q)
	if err != nil {
		return nil, err
	}
	answer, err := q.Missed(ctx, in, r.Instance, r.Score, r.LogOdds)
	if err != nil {
		return nil, err
	}
	return *answer, nil
}

// ask writes what a request asks to q, and returns its input. The caller must call closePool when
// the request ends.
func (h *Host) ask(
	ctx context.Context, id uint32, r wire.Ask, q *ask.Ask,
) (in *ask.Input, progress func(done, total int), err error) {
	m, in, err := h.input(ctx, id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, nil, err
	}
	*q = ask.Ask{Index: r.Class, Seed: r.Seed, Budget: r.Budget, Workers: h.workers(m),
		Output: word(r.Output)}
	return in, h.progress(id, r.Watch), nil
}

// input returns the model of a request, and its bag without the removed instances.
func (h *Host) input(
	ctx context.Context, id uint32, r target, helpers *onnxbackend.Helpers,
) (servedModel, *ask.Input, error) {
	m, err := find[servedModel](&h.handles, r.model, "model")
	if err != nil {
		return nil, nil, err
	}
	held, err := h.wholeBag(ctx, r.bag, h.encoding(id, r.watch))
	if err != nil {
		return nil, nil, err
	}
	bag, instances, err := without(held.bag, r.without)
	if err != nil {
		return nil, nil, err
	}
	in := &ask.Input{Engine: &RequestModel{m, h, id, r, bag, helpers, nil, nil, false}, Bag: bag,
		Whole: held.bag, Notes: held.notes, Picture: held.picture,
		Covariates: held.covariates}
	if bag != held.bag {
		in.Instances = instances
	}
	return m, in, nil
}

// given returns a list of a message: nil if it is missing, not if it is empty.
func given[T any](list *[]T) []T {
	if list == nil {
		return nil
	}
	return append([]T{}, *list...)
}
