package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

var _ servedModel = ask.Ensemble{}

// openEnsemble opens several open model files as one. It stays open if they are closed.
func (h *Host) openEnsemble(r wire.OpenEnsemble) (any, error) {
	var files []ask.Engine
	for _, handle := range r.Models {
		file, err := h.file(handle)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	e, err := ask.NewEnsemble(files, r.Mean)
	if err != nil {
		return nil, err
	}
	return h.openedModel(e), nil
}

// files returns the open model file with a handle, or several as one. Errors are those of file.
func (h *Host) files(handle int) (ask.Engine, error) {
	m, err := find[servedModel](&h.handles, handle, "model")
	if err != nil {
		return nil, err
	}
	if e, ok := m.(ask.Ensemble); ok {
		return e, nil
	}
	return fileOf(m)
}

// bindEnsemble returns the evaluator of a bag under an ensemble. That of the bag of the request
// keeps the encodings in the binding, as Host.bind does, and its first model has the trace. What is
// encoded by one of the models is not encoded again.
func (m *RequestModel) bindEnsemble(
	ctx context.Context, e ask.Ensemble, bag *core.Bag,
) (core.Evaluator, error) {
	h, r := m.host, m.r
	var known *binding
	var folds []*onnxbackend.Bound
	if bag == m.bag {
		if known = h.bound.Load(); !known.of(r.bag, r.without) {
			known = nil
			h.bound.Store(nil) // one encoded bag at a time
		}
		if err := m.predictEarly(ctx); err != nil {
			return nil, err
		}
	}
	ev, err := e.BindBy(ctx, func(fold core.Model) (core.Evaluator, error) {
		of := requestEvaluator{host: h, Bound: known.under(fold, r.bag, r.without)}
		if of.Bound == nil {
			var err error
			file, progress := fold.(*onnxbackend.Model), h.encoding(m.id, r.watch)
			of.Bound, err = file.BindWith(ctx, bag, nil, progress)
			if err != nil {
				return nil, err
			}
		}
		if len(folds) == 0 {
			of.trace = m.trace
		}
		folds = append(folds, of.Bound)
		return of, nil
	})
	if err != nil || bag != m.bag {
		return ev, err
	}
	h.keep(r, e.Folds(), folds)
	return ev, nil
}
