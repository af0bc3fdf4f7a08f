package onnxbackend

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// encoded runs the graph on a whole bag, in parts where that is worth it and in one piece elsewhere. The
// analysis has watched what the runner did, which holds the boundary and all outputs.
func (m *Model) encoded(ctx context.Context, bag *core.Bag, at place, crew *Crew) (*plan.Runner, *analysis, error) {
	if r, a, ok := m.inParts(ctx, bag, at, crew); ok {
		return r, a, nil
	}
	r := plan.NewRunner(m.forward, m.limits.run())
	a := newAnalysis(m.g, bag.Len(), m.input.Port, at)
	a.boundary[m.input.ID] = true
	_, err := m.run(ctx, r, bag, a)
	return r, a, err
}

// inParts encodes parts of the bag at several places and joins them. It reports failure, of whatever kind, when the
// whole must be run in one piece, which tells the error if there is one.
func (m *Model) inParts(ctx context.Context, bag *core.Bag, at place, crew *Crew) (*plan.Runner, *analysis, bool) {
	k := bag.Len()
	if m.plain || k < 2*probeSize || m.workers == 1 && crew.spare(math.MaxInt) == 0 || m.checkPixels(bag) != nil ||
		len(bag.Values) < leastValues && crew.spare(0) == 0 {
		return nil, nil, false
	}
	p, err := m.prefixOf(ctx, bag)
	if err != nil || p.values == nil {
		return nil, nil, false
	}
	work := times(p.work, k)
	locals, helpers := m.workers, crew.spare(work/encodeSpeed)
	if work < workFrom {
		locals = 1
	}
	if locals+helpers == 1 {
		return nil, nil, false
	}
	j := &joined{p: p, r: plan.NewRunner(p.rest, m.limits.run()), k: k}
	j.r.Begin(ctx)
	if err := j.encode(ctx, m, bag, partSize(k, work, locals+helpers), locals, helpers, crew); err != nil {
		return nil, nil, false
	}
	p.trim()
	if err := m.load(j.r.Machine(), j.r.Slot(m.input.ID), bag, at); err != nil {
		return nil, nil, false
	}
	a := newAnalysis(m.g, k, m.input.Port, at)
	a.boundary[m.input.ID] = true
	for _, v := range p.values {
		a.boundary[v.id] = true
		a.places[v.id] = ops.Place{Class: ops.Instance, Axis: v.axis, Shape: slices.Clone(j.r.Slot(v.id).Shape), Type: v.place.Type}
	}
	if err := j.r.Run(a); err != nil {
		return nil, nil, false
	}
	return j.r, a, true
}

// encode fills in the values of all instances, size of them at a time.
func (j *joined) encode(ctx context.Context, m *Model, bag *core.Bag, size, locals, helpers int, crew *Crew) error {
	of := func(i int) (lo int, b *core.Bag) { return i * size, part(bag, i*size, min((i+1)*size, j.k)) }
	s := spread{
		ctx: ctx,
		local: func(ctx context.Context, i int) (result, error) {
			lo, b := of(i)
			r, err := j.p.encode(ctx, m, b)
			return func() error {
				defer j.p.put(r)
				for _, v := range j.p.values {
					t := r.Value(v.id)
					if err := j.add(v, lo, t.Type, t.Shape, elements(t)); err != nil {
						return err
					}
				}
				return nil
			}, err
		},
		remote: func(ctx context.Context, helper, i int) (result, error) {
			lo, b := of(i)
			reply, err := crew.Ask(ctx, helper, m.encodeTask(j.p, b))
			return func() error { return j.addReply(lo, reply) }, err
		},
	}
	return s.run((j.k+size-1)/size, locals, helpers)
}
