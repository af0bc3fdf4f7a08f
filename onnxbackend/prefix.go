package onnxbackend

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A prefix is the part of a graph that treats each instance alone, for bags of one shape of instance. It can
// be run on some instances at a time: kernels promise that a row does not depend on the rows beside it.
type prefix struct {
	shape   []int // of an instance
	program *plan.Program
	rest    *plan.Program // from the values below and the input to all outputs
	values  []prefixValue // what the prefix computes; none when the graph has no such part
	work    int           // multiplications for one instance

	mu   sync.Mutex
	idle []*plan.Runner
}

type prefixValue struct {
	id, axis int
	place    ops.Place
}

// probeSize is how many instances a prefix is found with: few, and as no other axis is likely to be long.
const probeSize = 5

// prefixOf returns the prefix for a bag, found by running the graph on its first instances. The model keeps the
// last one.
func (m *Model) prefixOf(ctx context.Context, bag *core.Bag) (*prefix, error) {
	if p := m.prefix.Load(); p != nil && slices.Equal(p.shape, bag.Shape) {
		return p, nil
	}
	p, err := m.findPrefix(ctx, part(bag, 0, min(probeSize, bag.Len())))
	if err == nil {
		m.prefix.Store(p)
	}
	return p, err
}

// findPrefix runs the graph on a small bag.
func (m *Model) findPrefix(ctx context.Context, bag *core.Bag) (*prefix, error) {
	p := &prefix{shape: slices.Clone(bag.Shape)}
	at, err := m.input.fit(bag)
	if err != nil {
		return nil, err
	}
	r := plan.NewRunner(m.forward, m.limits.run())
	a := newAnalysis(m.g, bag.Len(), m.input.Port, at)
	if _, err := m.run(ctx, r, bag, a); err != nil {
		return nil, err
	}
	p.work = r.Machine().Spent() / bag.Len()
	for _, o := range m.g.Outputs {
		a.boundary[o.ID] = a.boundary[o.ID] || a.places[o.ID].Class == ops.Instance
	}
	var ids []int
	for _, id := range a.cut() {
		if place := a.places[id]; id != m.input.ID && place.Class == ops.Instance && place.Type.Size() > 0 {
			p.values = append(p.values, prefixValue{id, place.Axis, place})
			ids = append(ids, id)
		}
	}
	if !m.planPrefix(p, a, ids) {
		p.values = nil
	}
	return p, nil
}

// planPrefix plans both parts of a graph. It reports whether there is a first part.
func (m *Model) planPrefix(p *prefix, a *analysis, ids []int) (ok bool) {
	if len(ids) == 0 {
		return false
	}
	if p.program, ok = plan.New(m.g, []int{m.input.ID}, ids); !ok {
		return false
	}
	for _, s := range p.program.Steps() {
		for _, id := range s.Node.Out {
			if id >= 0 && a.places[id].Class == ops.Whole {
				return false
			}
		}
	}
	var outputs []int
	for _, o := range m.g.Outputs {
		outputs = append(outputs, o.ID)
	}
	p.rest, ok = plan.New(m.g, append(ids, m.input.ID), outputs)
	return ok
}

// part is a bag of instances lo up to hi, which shares their values.
func part(bag *core.Bag, lo, hi int) *core.Bag {
	n := bag.Stride()
	return &core.Bag{Name: bag.Name, Shape: bag.Shape, Raw: bag.Raw, Values: bag.Values[lo*n : hi*n : hi*n]}
}

// encode runs the prefix on a part of a bag. The runner holds the values until it is put back.
func (p *prefix) encode(ctx context.Context, m *Model, bag *core.Bag) (*plan.Runner, error) {
	at, err := m.input.fit(bag)
	if err != nil {
		return nil, err
	}
	r := p.take(m)
	r.Begin(ctx)
	if err := m.load(r.Machine(), r.Slot(m.input.ID), bag, at); err != nil {
		return nil, err
	}
	return r, r.Run(nil)
}

func (p *prefix) take(m *Model) *plan.Runner {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		r := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return r
	}
	return plan.NewRunner(p.program, m.limits.run())
}

func (p *prefix) put(r *plan.Runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, r)
}

// trim lets go of the memory of idle runners.
func (p *prefix) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = nil
}

// A joined bag is values of the prefix in the making, in a runner of the rest.
type joined struct {
	p *prefix
	r *plan.Runner
	k int
}

// add copies a value of instances from lo on to its place.
func (j *joined) add(v prefixValue, lo int, t tensor.Type, shape []int, data []byte) error {
	if len(shape) != len(v.place.Shape) || t != v.place.Type {
		return fmt.Errorf("a part of the bag has a value of shape %v and type %v", shape, t)
	}
	slot := j.r.Slot(v.id)
	whole := slices.Clone(shape)
	whole[v.axis] = j.k
	if slot.Words == nil {
		if err := j.r.Machine().Alloc(slot, t, whole...); err != nil {
			return err
		}
	}
	if n := shape[v.axis]; !slices.Equal(slot.Shape, whole) || lo+n > j.k {
		return fmt.Errorf("a part of the bag has a value of shape %v where the whole has %v", shape, slot.Shape)
	}
	outer, n, inner := 1, shape[v.axis], t.Size()
	for _, d := range shape[:v.axis] {
		outer *= d
	}
	for _, d := range shape[v.axis+1:] {
		inner *= d
	}
	if len(data) != outer*n*inner {
		return fmt.Errorf("a part of the bag has %d bytes for a value of shape %v", len(data), shape)
	}
	dst := elements(slot)
	for o := range outer {
		copy(dst[(o*j.k+lo)*inner:], data[o*n*inner:(o+1)*n*inner])
	}
	return nil
}

// elements returns the bytes of a tensor, shared with it.
func elements(t *tensor.Tensor) []byte { return tensor.View[byte](t.Words, t.Len()*t.Type.Size()) }
