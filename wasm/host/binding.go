package host

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A binding is the last explained bag, encoded by its model. It stays in the host, because encoding
// takes most of the time of an explanation, and another method, seed or setting can use it, and so
// can one of several models alone.
type binding struct {
	model, bag int // handles, which are never reused
	without    []int
	files      []core.Model // the model file, or those of an ensemble
	folds      []*onnxbackend.Bound
}

// of reports whether the binding is of these instances. A nil binding is of none.
func (b *binding) of(bag int, without []int) bool {
	return b != nil && b.bag == bag && slices.Equal(b.without, without)
}

// under returns these instances under a model file, nil if they are not encoded by it.
func (b *binding) under(m core.Model, bag int, without []int) *onnxbackend.Bound {
	if b.of(bag, without) {
		if at := slices.Index(b.files, m); at >= 0 {
			return b.folds[at]
		}
	}
	return nil
}

// encoded reports whether a bag is encoded by a model file, or by all files of an ensemble.
func (h *Host) encoded(model, bag int) bool {
	m, err := h.files(model)
	if err != nil {
		return false
	}
	files := []core.Model{m}
	if e, ok := m.(ask.Ensemble); ok {
		files = e.Folds()
	}
	return !slices.ContainsFunc(files, func(m core.Model) bool {
		return h.bound.Load().under(m, bag, nil) == nil
	})
}

// keep makes the instances of a request the encoded ones, unless they or the model were closed
// during the encoding, when unbind found no binding.
func (h *Host) keep(r target, files []core.Model, folds []*onnxbackend.Bound) {
	h.bound.Store(&binding{r.model, r.bag, slices.Clone(r.without), files, folds})
	if !h.handles.both(r.model, r.bag) {
		h.bound.Store(nil)
	}
}

// bind returns the evaluator for the instances of a request, from the binding if possible. progress
// and predicted, which gets the prediction if the graph is run, may be nil.
func (h *Host) bind(
	ctx context.Context, r target, m *onnxbackend.Model, instances *core.Bag,
	helpers *onnxbackend.Helpers, progress func(done, total int),
	predicted func(*onnxbackend.Prediction) error,
) (*onnxbackend.Bound, error) {
	// The same instances of the same bag have the same encoding.
	if ev := h.bound.Load().under(m, r.bag, r.without); ev != nil {
		return ev, nil
	}
	h.bound.Store(nil) // one encoded bag at a time
	ev, err := m.BindPredicted(ctx, instances, helpers, progress, predicted)
	if err != nil {
		return nil, err
	}
	h.keep(r, []core.Model{m}, []*onnxbackend.Bound{ev})
	return ev, nil
}

// unbind releases the binding of a closed bag or model.
func (h *Host) unbind(handle int) {
	if b := h.bound.Load(); b != nil && (b.model == handle || b.bag == handle) {
		h.bound.CompareAndSwap(b, nil)
	}
}
