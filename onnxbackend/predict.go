package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/signature"
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
type Output = signature.Output

// Predict runs the whole graph on a bag. It returns a *core.BagError if the bag does not fit the model or
// has too few instances, a *RunError if a node cannot compute, and the cause when ctx ends.
func (m *Model) Predict(ctx context.Context, bag *core.Bag) (*Prediction, error) {
	return m.PredictWith(ctx, bag, nil, nil)
}

// PredictWith is Predict with helpers that share the encoding, and with reports of its progress, as for
// BindWith. The result is the same. Both may be nil.
func (m *Model) PredictWith(
	ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int),
) (p *Prediction, err error) {
	defer fault.Rescue(&err)
	fitted, err := m.fit(bag)
	if err != nil {
		return nil, err
	}
	f, err := m.compute(ctx, fitted, nil, pool, progress)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	s, err := m.scoresFor(ctx, f.whole())
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	r := f.runner
	if err := m.sig.CheckCount(s, r.Value(s.ID).Shape, bag.Len()); err != nil {
		return nil, err
	}
	p = &Prediction{Classes: slices.Clone(s.Names)}
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
		p.Outputs = append(p.Outputs, Output{
			Name: port.Name, Type: t.Type.String(), Shape: slices.Clone(t.Shape), Data: data,
		})
		if port.ID == s.ID {
			p.Scores = slices.Clone(data)
		}
	}
	deviceNotes := m.device.notes(f)
	f.done(m)
	if err := signature.CheckScores(bag, p.Scores); err != nil {
		return nil, err
	}
	s = s.ForBag(p.Scores)
	p.Scale, p.Notes = s.Scale, slices.Concat(m.info.Notes, s.Notes, fitted.Notes(), deviceNotes)
	return p, nil
}

// fit finds how a bag lies in the input, and checks its numbers.
func (m *Model) fit(bag *core.Bag) (signature.Fitted, error) {
	f, err := m.sig.Fit(bag)
	if err != nil {
		return f, err
	}
	return f, f.Check()
}

// run computes all outputs for a bag in a runner of m.forward.
func (m *Model) run(ctx context.Context, r *plan.Runner, f signature.Fitted, o plan.Observer) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m.device != nil {
		m.device.begin(m, r, f.Layout)
		if err := m.once(ctx, r, f, o); !m.device.end(r, err) {
			return err
		}
	}
	return m.once(ctx, r, f, o)
}

// once is run where the runner's next run is to be.
func (m *Model) once(ctx context.Context, r *plan.Runner, f signature.Fitted, o plan.Observer) error {
	r.Begin(ctx)
	if err := f.Load(r.Machine(), r.Slot(m.sig.Input().ID)); err != nil {
		return err
	}
	return r.Run(o)
}

// scoresFor returns the class scores' output, comparing two sizes of bag when the file does not tell.
func (m *Model) scoresFor(ctx context.Context, f *forward) (*signature.ClassOutput, error) {
	if c := m.sig.ClassOutput(); c != nil {
		return c, nil
	}
	instances := make([]int, f.bag.Len()+1)
	for i := range instances {
		instances[i] = min(i, f.bag.Len()-1)
	}
	two := plan.NewRunner(m.forward, m.limits.run())
	if err := m.run(ctx, two, f.bag.Select(instances), nil); err != nil {
		return nil, err
	}
	return m.sig.Resolve(m.shapes(f.runner), m.shapes(two), &f.bag.Layout)
}

// shapes returns the shapes of all outputs after a run.
func (m *Model) shapes(r *plan.Runner) [][]int {
	var out [][]int
	for _, p := range m.g.Outputs {
		out = append(out, slices.Clone(r.Value(p.ID).Shape))
	}
	return out
}
