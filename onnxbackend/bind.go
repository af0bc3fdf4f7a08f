package onnxbackend

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Strategies of a Bound that do not only pool all coalitions together. Those that do are named by
// how the model pools: mean, sum, max, min, attention, logsumexp, topk, joined by + if it pools in
// several ways.
const (
	StrategyMembers  = masked.Members  // coalitions run together, with values of each member
	StrategyGathered = suffix.Gathered // a coalition gathers its instances from the encoded bag
	StrategyPlain    = suffix.Plain    // the whole graph runs for every coalition
)

// Bind encodes a bag. The evaluator is a *Bound. It returns a *core.BagError if the bag does not
// match the model's input or has fewer instances than the model takes, a *RunError if a node cannot
// compute, and the cause when ctx ends.
func (m *Model) Bind(ctx context.Context, bag *core.Bag) (ev core.Evaluator, err error) {
	b, err := m.BindWith(ctx, bag, nil, nil)
	if err != nil {
		return nil, err // not a nil *Bound in the interface
	}
	return b, nil
}

// BindWith is Bind with helpers that share the encoding. Result and errors are the same. progress
// is called, one call at a time, after each block of a large bag, with the number of its instances
// that are encoded. A small bag has no blocks. Both may be nil.
func (m *Model) BindWith(
	ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int),
) (*Bound, error) {
	return m.BindPredicted(ctx, bag, pool, progress, nil)
}

// BindPredicted is BindWith, and PredictWith in the same run of the graph: it calls predicted,
// unless that is nil, with the prediction before it finds how coalitions are evaluated. It calls
// predicted again if a device has encoded the bag wrongly. Errors are those of both, and of
// predicted.
func (m *Model) BindPredicted(
	ctx context.Context, bag *core.Bag, pool *Helpers, progress func(done, total int),
	predicted func(*Prediction) error,
) (b *Bound, err error) {
	defer fault.Rescue(&err)
	if h := m.headFor(bag); h != nil {
		// Helpers have the input of the whole model alone.
		return h.BindPredicted(ctx, bag, nil, progress, predicted)
	}
	fitted, err := m.fit(bag)
	if err != nil {
		return nil, err
	}
	b, err = m.bind(ctx, fitted, func(a *prefix.Analysis) (*prefix.Forward, error) {
		return m.encoder.Forward(ctx, fitted, a, pool, progress)
	}, predicted)
	if errors.Is(err, suffix.ErrDeviates) {
		m.encoder.Device.Lose(err.Error())
		// The device is lost: bind without it.
		return m.BindPredicted(ctx, bag, pool, progress, predicted)
	}
	return b, err
}

// bind encodes a bag by a function, and finds how its coalitions are evaluated. predicted may be
// nil. The error is suffix.ErrDeviates if a device has encoded the bag wrongly.
func (m *Model) bind(
	ctx context.Context, fitted signature.Fitted,
	encode func(a *prefix.Analysis) (*prefix.Forward, error), predicted func(*Prediction) error,
) (*Bound, error) {
	input := m.sig.Input().ID
	a := m.encoder.NewAnalysis(fitted)
	a.KeepValue(input) // the plain strategy begins there
	for _, id := range m.sig.BesideIDs() {
		a.KeepValue(id) // coalitions take their pairs and their covariates from it
	}
	f, err := encode(a)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	if f == nil {
		return nil, errNotEncoded
	}
	classes, err := m.classesOf(ctx, f)
	if err != nil {
		return nil, err
	}
	if predicted != nil {
		p, err := m.prediction(f, classes, fitted)
		if err == nil {
			err = predicted(p)
		}
		if err != nil {
			return nil, err
		}
	}
	// The suffix begins where the encoder stopped, and compares itself with runs of the whole
	// graph.
	device, bag := m.encoder.Device, fitted.Bag
	b := &Bound{m: m, classes: classes, values: len(bag.Values), hadDevice: device.Ready()}
	whole := f.Whole().Runner
	b.notes = slices.Concat(m.info.Notes, classes.Notes, fitted.Notes(), device.Notes(whole, "bag"))
	b.suffix, err = suffix.Choose(ctx, &m.suffixes, suffix.Bag{
		Graph: m.g, Limits: m.limits.run(), Device: device, Fingerprint: m.encoder.Fingerprint,
		Input: input, Output: classes.Port, Task: classes.RawTask(bag.Len()),
		Places: a.Places, Whole: m.wholeValues(f, a), Fitted: fitted,
		InBlocks: f.InBlocks(), OnDevice: offload.Encoded(whole), Vector: classes.Compared(),
	}, a.Boundary(), m.plain)
	if err != nil {
		return nil, err
	}
	b.suffix.Leave(f.Runner) // must run before the runner's memory goes to the next bag
	f.Done()
	return b, nil
}

// classesOf returns what the class scores of a bag mean, after its run, and checks their number and
// that NaN of the bag has not reached them.
func (m *Model) classesOf(
	ctx context.Context, f *prefix.Forward,
) (*signature.ClassOutput, error) {
	c, err := m.classOutput(ctx, f.Whole())
	if err != nil {
		return nil, f.Bag.SizeError(ctx, err)
	}
	t := f.Runner.Value(c.ID)
	if err := m.sig.CheckCount(c, t.Shape, f.Bag.Len()); err != nil {
		return nil, err
	}
	scores, err := t.Float64s()
	if err != nil {
		return nil, err
	}
	if err := signature.CheckScores(f.Bag.Bag, scores); err != nil {
		return nil, err
	}
	if _, err := c.Reading(scores); err != nil {
		return nil, err
	}
	return c.ForBag(scores), nil
}

// classOutput returns the output with the class scores. It compares bags of two sizes if the file
// does not say which output that is.
func (m *Model) classOutput(
	ctx context.Context, f *prefix.Forward,
) (*signature.ClassOutput, error) {
	if c := m.sig.ClassOutput(); c != nil {
		return c, nil
	}
	// The last instance comes twice: a bag that certainly fits, of another size.
	instances := make([]int, f.Bag.Len()+1)
	for i := range instances {
		instances[i] = min(i, f.Bag.Len()-1)
	}
	two := m.encoder.NewRunner()
	defer two.Close()
	if err := m.encoder.Run(ctx, two, f.Bag.Select(instances), nil); err != nil {
		return nil, err
	}
	return m.sig.Resolve(m.encoder.Shapes(f.Runner), m.encoder.Shapes(two), &f.Bag.Layout)
}

// wholeValues returns the boundary values and the outputs of the run of the whole bag.
func (m *Model) wholeValues(f *prefix.Forward, a *prefix.Analysis) map[int]*tensor.Tensor {
	values := map[int]*tensor.Tensor{}
	for _, id := range slices.Concat(a.Boundary(), graph.IDs(m.g.Outputs)) {
		t := *f.Runner.Value(id) // the runner overwrites its own header, not the elements
		values[id] = &t
	}
	// A bag in blocks has a run that does not read the covariates of the encoding.
	for i, c := range m.sig.Covariates() {
		values[c.ID] = f.Bag.Covariate(i)
	}
	return values
}

// fit finds how a bag lies in the input, and checks its numbers.
func (m *Model) fit(bag *core.Bag) (signature.Fitted, error) {
	f, err := m.sig.Fit(bag)
	if err == nil {
		err = f.Check()
	}
	return f, err
}

// errNotEncoded is the error of bind if the function that encodes the bag could not do so.
var errNotEncoded = errors.New("the instances of this bag were not encoded one by one")

// Extend implements core.Extender: the instances of more follow those of the bag. What the model
// has computed of single instances of the bag is not computed again, unless the model mixes
// instances from its first operator on. The result is that of Bind for the bag that
// [core.Bag.With] returns, up to rounding; errors are those of both.
func (b *Bound) Extend(ctx context.Context, more *core.Bag) (ev core.Evaluator, err error) {
	defer fault.Rescue(&err)
	joined, err := b.suffix.Fitted.Bag.With(more)
	if err != nil {
		return nil, err
	}
	m := b.m
	if m.plain || b.hadDevice { // a device keeps no encoded values here
		return m.Bind(ctx, joined)
	}
	all, err := m.fit(joined)
	if err != nil {
		return nil, err
	}
	others, err := m.fit(more.WithCovariates(joined.Covariates...))
	if err != nil {
		return nil, err
	}
	extended, err := m.bind(ctx, all, func(a *prefix.Analysis) (*prefix.Forward, error) {
		return m.encoder.Extend(ctx, all, others, b.suffix.Whole, a)
	}, nil)
	switch {
	case err == nil:
		return extended, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return m.Bind(ctx, joined) // its error is the one to return
}
