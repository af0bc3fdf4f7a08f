package host

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A Question is a question for a System.
type Question struct {
	Name     string // name of the command
	Request  []byte // see wire.WriteAnswer
	Input    *ask.Input
	Workers  int
	Progress func(done, total int) // nil reports nothing
	Slow     func(sentence string) // see ask.Plan
}

// A RequestModel is a model in one request: functions of the client are evaluated by its events,
// and the encoded bag of the last request is used again.
type RequestModel struct {
	servedModel
	host *Host
	id   uint32
	r    target
	bag  *core.Bag // the bag of the request
	// helpers share the work of the bag of the request; nil for none.
	helpers *onnxbackend.Helpers
	trace   *[]string // receives the evaluated coalitions; nil for none
	// predicted receives the prediction of the bag of the request when it is bound; it may be nil.
	predicted func(*onnxbackend.Prediction) error
	plan      bool // send Planned when the bag is bound
}

// Bind returns the evaluator of a bag. It returns a *core.UnavailableError for another bag than the
// request's if the model is a function, which evaluates parts of that bag alone.
func (m *RequestModel) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	c, function := m.servedModel.(*callable)
	if function && bag == m.bag {
		return m.callableBag(c, m.trace), m.predictEarly(ctx)
	}
	if e, ok := m.servedModel.(ask.Ensemble); ok {
		return m.bindEnsemble(ctx, e, bag)
	}
	file, err := fileOf(m.servedModel)
	if err != nil {
		return nil, err
	}
	encoding := m.host.encoding(m.id, m.r.watch)
	if bag != m.bag {
		return file.BindWith(ctx, bag, nil, encoding)
	}
	if m.host.bound.Load().under(file, m.r.bag, m.r.without) != nil { // the graph will not run
		if err := m.predictEarly(ctx); err != nil {
			return nil, err
		}
	}
	ev, err := m.host.bind(ctx, m.r, file, bag, m.helpers, encoding, m.predicted)
	if err != nil {
		return nil, err
	}
	if m.plan {
		m.host.send(m.id, ask.PlannedOf(ev))
	}
	return requestEvaluator{Bound: ev, host: m.host, helpers: m.helpers, trace: m.trace}, nil
}

// callableBag returns the evaluator of the bag of the request under a function of the client.
func (m *RequestModel) callableBag(c *callable, trace *[]string) *callableBag {
	return &callableBag{c, m.host, m.id, m.r.model, m.bag.Len(), trace}
}

// predictEarly calls predicted, unless that is nil, with the prediction of the request's bag.
func (m *RequestModel) predictEarly(ctx context.Context) error {
	if m.predicted == nil {
		return nil
	}
	p, err := m.Predict(ctx, m.bag)
	if err != nil {
		return err
	}
	return m.predicted(p)
}

// Layers returns the layers of the file or of the ensemble, 0 for a function.
func (m *RequestModel) Layers() int {
	if of, ok := m.servedModel.(interface{ Layers() int }); ok {
		return of.Layers()
	}
	return 0
}

// Predict returns the prediction for the bag of the request.
func (m *RequestModel) Predict(
	ctx context.Context, bag *core.Bag,
) (*onnxbackend.Prediction, error) {
	switch of := m.servedModel.(type) {
	case *callable:
		return m.callableBag(of, nil).predict(ctx)
	case ask.Ensemble:
		return of.Predict(ctx, bag)
	}
	return m.servedModel.(*onnxbackend.Model).PredictWith(ctx, bag, m.helpers,
		m.host.encoding(m.id, m.r.watch))
}

// writeAnswer answers a question in JSON.
func (h *Host) writeAnswer(ctx context.Context, id uint32, r wire.WriteAnswer) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a question"}
	}
	m, in, err := h.input(ctx, id, target{r.Model, r.Bag, r.Without, r.Watch}, nil)
	if err != nil {
		return nil, err
	}
	in.Randomised = h.randomised(r)
	in.Notes = slices.Concat(in.Notes, r.Notes)
	q := Question{Name: r.Question, Request: r.Request, Input: in, Workers: h.workers(m),
		Progress: h.progress(id, r.Watch), Slow: h.noted(id)}
	if r.Donor != 0 {
		donor, err := h.bag(r.Donor)
		if err != nil {
			return nil, err
		}
		in.Donor = donor.bag
	}
	if r.Memory > 0 {
		ctx = quota.WithMemory(ctx, quota.NewMemory(int64(r.Memory)))
	}
	data, err := h.config.System.Answer(ctx, q)
	return wire.Document{Bytes: data}, err
}

// randomised returns the function that opens the model of a question again with shuffled weights,
// nil if the request does not say how it was opened.
func (h *Host) randomised(
	q wire.WriteAnswer,
) func(context.Context, onnxbackend.Randomize) (core.Model, error) {
	switch {
	case q.FromFile != nil:
		return func(ctx context.Context, r onnxbackend.Randomize) (core.Model, error) {
			return h.openFile(ctx, *q.FromFile, r)
		}
	case q.FromBytes != nil:
		return func(_ context.Context, r onnxbackend.Randomize) (core.Model, error) {
			return h.openBytes(*q.FromBytes, r)
		}
	}
	return nil
}
