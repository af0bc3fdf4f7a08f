package onnxbackend

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Prediction is what a model returns for one bag.
type Prediction struct {
	Outputs []Output   // all outputs, in the order of the file
	Scores  []float64  // (class), as the model returns them: on Scale, or as Heads say
	Classes []string   // (class) names
	Scale   core.Scale // meaning of Scores if Heads is nil
	Heads   []core.Head
	Curves  []Curve // survival curves of the heads of hazards
	// (model, class) scores of the models of an ensemble, on the scale of Scores; nil for one model
	Folds [][]float64
	Notes []string // what was assumed or decided, in sentences
}

// An Output is one of the graph's outputs as it left the graph. Integers beyond 2^53 are rounded.
type Output = signature.Output

// Predict runs the whole graph on a bag. It returns a *core.BagError if the bag does not match the
// model's input or has too few instances, a *RunError if a node cannot compute, and the cause when
// ctx ends.
func (m *Model) Predict(ctx context.Context, bag *core.Bag) (*Prediction, error) {
	return m.PredictWith(ctx, bag, nil, nil)
}

// PredictWith is Predict with helpers that share the encoding, and with reports of its progress, as
// for BindWith. Result and errors are the same. Both may be nil.
func (m *Model) PredictWith(
	ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int),
) (p *Prediction, err error) {
	defer fault.Rescue(&err)
	if h := m.headFor(bag); h != nil {
		return h.PredictWith(ctx, bag, nil, progress)
	}
	fitted, err := m.fit(bag)
	if err != nil {
		return nil, err
	}
	f, err := m.encoder.Forward(ctx, fitted, nil, pool, progress)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	c, err := m.classesOf(ctx, f)
	if err != nil {
		return nil, err
	}
	if p, err = m.prediction(f, c, fitted); err != nil {
		return nil, err
	}
	f.Done()
	return p, nil
}

// prediction copies the outputs of a run, whose class scores c describes.
func (m *Model) prediction(
	f *prefix.Forward, c *signature.ClassOutput, fitted signature.Fitted,
) (*Prediction, error) {
	p := &Prediction{Classes: slices.Clone(c.Names), Scale: c.Scale, Heads: c.Heads()}
	size := uint64(0)
	for _, port := range m.g.Outputs {
		t := f.Runner.Value(port.ID)
		// Outputs may share memory in the graph, but not here.
		if size += uint64(t.Len()) * 8; size > uint64(m.limits.RunBytes) {
			return nil, &fault.Limit{What: "bytes of a run", Wanted: size,
				Limit: uint64(m.limits.RunBytes), Setting: "runBytes"}
		}
		data, err := t.Float64s()
		if err != nil {
			return nil, err
		}
		if !m.sig.Card().Added(port.Name) {
			p.Outputs = append(p.Outputs, Output{
				Name: port.Name, Type: t.Type.String(), Shape: slices.Clone(t.Shape), Data: data,
			})
		}
		if port.ID != c.ID {
			continue
		}
		if p.Scores, err = c.Reading(data); err != nil {
			return nil, err
		}
		if p.Curves, err = c.Curves(data); err != nil {
			return nil, err
		}
	}
	device := m.encoder.Device.Notes(f.Whole().Runner, "bag")
	p.Notes = slices.Concat(m.info.Notes, c.Notes, fitted.Notes(), device)
	return p, nil
}
