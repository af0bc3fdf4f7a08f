package host

import (
	"context"
	"reflect"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// whatIfs returns the handlers of what-ifs.
func whatIfs() (list []handler) {
	for _, body := range wire.Bodies() {
		if _, ok := body.(wire.WhatIf); ok {
			one := queued(long((*Host).whatIf))
			one.request = reflect.TypeOf(body)
			list = append(list, one)
		}
	}
	return list
}

// whatIf answers a what-if.
func (h *Host) whatIf(ctx context.Context, id uint32, body wire.WhatIf) (any, error) {
	defer h.closePool(id)
	r, q := body.Question()
	m, in, err := h.input(id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	*q.Ask = ask.Ask{Index: r.Class, Seed: r.Seed, Budget: r.Budget, Workers: h.workers(m),
		Output: word(r.Output)}
	var progress func(done, total int)
	if r.Watch {
		progress = h.progress(id)
	}
	switch body := body.(type) {
	case wire.Check:
		if body.From != nil {
			in.Randomised = func(_ context.Context, w onnxbackend.Randomize) (core.Model, error) {
				return h.openBytes(*body.From, w)
			}
		}
	case wire.Pairs:
		// A program in a browser has little memory, and all coalitions of a bag of 20 under a model
		// of many classes may exceed it.
		ctx = h.inRoom(ctx)
	}
	a, err := q.Answer(ctx, in, progress)
	if err != nil {
		return nil, err
	}
	return reflect.ValueOf(a).Elem().Interface(), nil
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
