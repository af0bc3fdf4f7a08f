package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// blockValues is how many values of instances go through the layers before the cut at a time: 8 MB, which is
// 2048 instances of 1024 features. A bag of 100,000 such would hold 1.2 GB of hidden layers at once, and its
// input twice; smaller blocks cost a layer its pace.
const blockValues = 1 << 21

// A forward is one run of the graph over a bag.
type forward struct {
	runner *plan.Runner // holds the outputs and what an observer kept
	bag    signature.Fitted
	probe  *forward // of the first block, nil when the bag went at once
}

// whole is a run that took its bag at once.
func (f *forward) whole() *forward {
	if f.probe != nil {
		return f.probe
	}
	return f
}

// done leaves the runner to the next bag, which a run in blocks has no use for.
func (f *forward) done(m *Model) {
	if f.probe == nil {
		m.runners.put(f.runner)
	}
}

// compute runs the graph to all outputs for a bag, watched by a, which may be nil, as may crew and progress. The instances of a bag go in blocks through the
// part of the graph that treats each alone, where there is such a part and the bag is large or several places share it.
func (m *Model) compute(ctx context.Context, bag signature.Fitted, a *analysis, pool *workshare.Helpers, progress func(done, total int)) (*forward, error) {
	size := m.rows(bag)
	if !m.device.takes(m, bag.Part(0, min(size, bag.Len()))) { // else one place encodes
		if f, err := m.shared(ctx, bag, a, pool, progress); f != nil || err != nil {
			return f, err
		}
	}
	if bag.Len() >= 2*size {
		size = even(bag.Len(), size)
		f, err := m.inBlocks(ctx, bag, a, size, func(int) sharing { return sharing{size: size, locals: 1} }, progress)
		if f != nil || err != nil {
			return f, err
		}
	}
	f := &forward{runner: m.runners.take(m), bag: bag}
	if a == nil {
		return f, m.run(ctx, f.runner, bag, nil)
	}
	return f, m.run(ctx, f.runner, bag, a)
}

// even returns the size of as few blocks of n instances as there can be of at most size each. The last one is about as
// large as the others and uses their memory: a smaller one took its own, 16 MB beside 44 for 10,000 digits.
func even(n, size int) int {
	blocks := (n + size - 1) / size
	return (n + blocks - 1) / blocks
}

// rows is how many instances of a bag are encoded at a time, at most.
func (m *Model) rows(bag signature.Fitted) int {
	return m.device.fits(m, bag, max(1, m.block/bag.Bag.Stride()))
}

// inBlocks encodes block by block and runs the rest for the whole bag. The first block has as many instances as first says; share says
// of the work that all of them are, in multiplications, how the others are cut and who encodes them. It returns nothing when the first
// block shows no way to do so.
func (m *Model) inBlocks(ctx context.Context, bag signature.Fitted, a *analysis, first int, share func(work int) sharing, progress func(done, total int)) (*forward, error) {
	probe, found, err := m.probe(ctx, bag.Part(0, first))
	if err != nil || probe == nil {
		return nil, err
	}
	s := share(workshare.Times(probe.runner.Machine().Spent()/first, bag.Len()))
	encoded := found.encoded(m.g, m.sig.Input().ID)
	front, ok := newFront(m, encoded)
	fixed := found.settled(m.g)
	rest, able := plan.New(m.g, slices.Concat(encoded, fixed, []int{m.sig.Input().ID}), m.outputs())
	if s.size == 0 || len(encoded) == 0 || !ok || !able || rest.Reads(m.sig.Input().ID) == plan.ReadsAll {
		return nil, nil
	}
	f := &forward{runner: plan.NewRunner(rest, m.limits.run()), bag: bag, probe: probe}
	f.runner.Begin(ctx)
	f.runner.Give(m.sig.Input().ID, &tensor.Tensor{Type: m.sig.Input().Type.Runtime(), Shape: bag.Shape}) // only its shape is read
	for _, id := range fixed {
		f.runner.Give(id, probe.runner.Value(id).Clone())
	}
	for _, id := range encoded {
		shape := slices.Clone(probe.runner.Value(id).Shape)
		shape[found.places[id].Axis] = bag.Len()
		if err := f.runner.Machine().Alloc(f.runner.Slot(id), probe.runner.Value(id).Type, shape...); err != nil {
			return nil, err
		}
	}
	e := encoder{m: m, to: f, front: front, places: found.places, progress: progress}
	if err := e.fill(ctx, s); err != nil {
		if err == errUneven {
			err = nil
		}
		return nil, err
	}
	defer f.runner.Machine().Trim() // what the rest has dropped is as large as the layers before the cut
	if a == nil {
		return f, f.runner.Run(nil)
	}
	a.adopt(found, slices.Concat(encoded, fixed))
	return f, f.runner.Run(a)
}

// probe runs the first block. It returns nothing when the graph takes no such bag.
func (m *Model) probe(ctx context.Context, block signature.Fitted) (*forward, *analysis, error) {
	a := newAnalysis(m.g, block.Len(), m.sig.Input().Port, block.Layout)
	f := &forward{runner: plan.NewRunner(m.forward, m.limits.run()), bag: block}
	if err := m.run(ctx, f.runner, block, a); err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, nil, nil
	}
	return f, a, nil
}

// outputs returns the values of the graph's outputs.
func (m *Model) outputs() []int {
	var ids []int
	for _, p := range m.g.Outputs {
		ids = append(ids, p.ID)
	}
	return ids
}

// encoded returns what blocks of instances are encoded to: the boundary, and outputs that treat instances alone.
func (a *analysis) encoded(g *graph.Graph, input int) []int {
	var ids []int
	for id, p := range a.places {
		output := slices.ContainsFunc(g.Outputs, func(o graph.Port) bool { return o.ID == id })
		if p.Class == ops.Instance && id != input && (a.boundary[id] || output) {
			ids = append(ids, id)
		}
	}
	return ids
}

// settled returns the constants at the boundary that a run makes of sizes.
func (a *analysis) settled(g *graph.Graph) []int {
	var ids []int
	for id, p := range a.places {
		if p.Class == ops.Constant && a.boundary[id] && g.Values[id].Const == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// adopt takes over what the first block showed of the values before the cut, for the whole bag.
func (a *analysis) adopt(block *analysis, kept []int) {
	for id, p := range block.places {
		if a.places[id].Shape != nil {
			continue
		}
		if p.Class == ops.Instance {
			p.Shape = slices.Clone(p.Shape)
			p.Shape[p.Axis] = a.k
		}
		a.places[id] = p
	}
	for _, id := range kept {
		a.boundary[id] = a.boundary[id] || block.boundary[id]
	}
}
