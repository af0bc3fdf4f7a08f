package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// A Prediction is what a model says of one bag.
type Prediction struct {
	Outputs []Output
	Scores  []float64 // (class), raw: on Scale
	Classes []string
	Scale   core.Scale
	Notes   []string // what was assumed or decided, in sentences
}

// An Output is one of the graph's outputs as it left the graph. Integers beyond 2^53 are rounded.
type Output struct {
	Name  string
	Type  string // "float32", "int64", ...
	Shape []int
	Data  []float64
}

// Predict runs the whole graph on a bag. It returns a *core.BagError when the bag does not fit the model or has too few instances,
// a *RunError when a node cannot compute and the cause when ctx ends.
func (m *Model) Predict(ctx context.Context, bag *core.Bag) (*Prediction, error) {
	return m.PredictWith(ctx, bag, nil, nil)
}

// PredictWith is Predict with helpers that share the encoding, and with reports of its progress, both as BindWith has them.
// The result is the same. Both may be nil.
func (m *Model) PredictWith(ctx context.Context, bag *core.Bag, crew *Crew, progress func(done, total int)) (p *Prediction, err error) {
	defer rescue(&err)
	if err := m.checkBag(bag); err != nil {
		return nil, err
	}
	f, err := m.compute(ctx, bag, nil, crew, progress)
	if err != nil {
		return nil, m.sizeError(ctx, bag, err)
	}
	s, err := m.scoresFor(ctx, f.whole())
	if err != nil {
		return nil, m.sizeError(ctx, bag, err)
	}
	r := f.runner
	if err := m.checkCount(s, r.Value(s.ID).Shape, bag.Len()); err != nil {
		return nil, err
	}
	p = &Prediction{Classes: slices.Clone(s.names)}
	size := uint64(0)
	for _, port := range m.g.Outputs {
		t := r.Value(port.ID)
		if size += uint64(t.Len()) * 8; size > uint64(m.limits.RunBytes) { // outputs may share memory in the graph, here they do not
			return nil, &fault.Limit{What: "bytes of a run", Wanted: size, Limit: uint64(m.limits.RunBytes)}
		}
		data, err := t.Float64s()
		if err != nil {
			return nil, err
		}
		p.Outputs = append(p.Outputs, Output{port.Name, t.Type.String(), slices.Clone(t.Shape), data})
		if port.ID == s.ID {
			p.Scores = slices.Clone(data)
		}
	}
	far := m.far.notes(f)
	f.done(m)
	if err := checkScores(bag, p.Scores); err != nil {
		return nil, err
	}
	s = s.against(p.Scores)
	p.Scale, p.Notes = s.scale, slices.Concat(m.info.Notes, s.notes, m.pixelNotes(bag), far)
	return p, nil
}

// run computes all outputs for a bag in a runner of m.forward.
func (m *Model) run(ctx context.Context, r *plan.Runner, bag *core.Bag, o plan.Observer) (place, error) {
	if ctx.Err() != nil {
		return place{}, context.Cause(ctx)
	}
	at, err := m.input.fit(bag)
	if err != nil {
		return at, err
	}
	if err := m.checkPixels(bag); err != nil {
		return at, err
	}
	if m.far != nil {
		m.far.begin(m, r, at)
		if err = m.once(ctx, r, bag, at, o); !m.far.end(r, err) {
			return at, err
		}
	}
	return at, m.once(ctx, r, bag, at, o)
}

// once is run where the runner's next run is to be.
func (m *Model) once(ctx context.Context, r *plan.Runner, bag *core.Bag, at place, o plan.Observer) error {
	r.Begin(ctx)
	if err := m.load(r.Machine(), r.Slot(m.input.ID), bag, at); err != nil {
		return err
	}
	return r.Run(o)
}

// scoresFor returns the class scores' output, comparing two sizes of bag when the file does not tell.
func (m *Model) scoresFor(ctx context.Context, f *forward) (*scores, error) {
	if s := m.scores.Load(); s != nil {
		return s, nil
	}
	instances := make([]int, f.bag.Len()+1)
	for i := range instances {
		instances[i] = min(i, f.bag.Len()-1)
	}
	two := plan.NewRunner(m.forward, m.limits.run())
	if _, err := m.run(ctx, two, f.bag.Select(instances), nil); err != nil {
		return nil, err
	}
	at, err := m.input.fit(f.bag)
	if err != nil {
		return nil, err
	}
	s, err := m.resolve(m.shapes(f.runner), m.shapes(two), &at)
	if err == nil {
		m.settle(s)
	}
	return s, err
}

// shapes returns the shapes of all outputs after a run.
func (m *Model) shapes(r *plan.Runner) [][]int {
	var out [][]int
	for _, p := range m.g.Outputs {
		out = append(out, slices.Clone(r.Value(p.ID).Shape))
	}
	return out
}
