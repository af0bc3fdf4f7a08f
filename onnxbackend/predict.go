package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
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
	f, err := m.encoder.Forward(ctx, fitted, nil, pool, progress)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	s, err := m.scoresFor(ctx, f.Whole())
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	r := f.Runner
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
	deviceNotes := m.encoder.Device.Notes(f.Whole().Runner)
	f.Done()
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

// scoresFor returns the class scores' output, comparing two sizes of bag when the file does not tell.
func (m *Model) scoresFor(ctx context.Context, f *prefix.Forward) (*signature.ClassOutput, error) {
	if c := m.sig.ClassOutput(); c != nil {
		return c, nil
	}
	instances := make([]int, f.Bag.Len()+1)
	for i := range instances {
		instances[i] = min(i, f.Bag.Len()-1)
	}
	two := m.encoder.NewRunner()
	if err := m.encoder.Run(ctx, two, f.Bag.Select(instances), nil); err != nil {
		return nil, err
	}
	return m.sig.Resolve(m.encoder.Shapes(f.Runner), m.encoder.Shapes(two), &f.Bag.Layout)
}
