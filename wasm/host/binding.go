package host

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A binding is the last explained bag, encoded by its model. It stays in the host, because encoding
// takes most of the time of an explanation, and another method, seed or setting can use it.
type binding struct {
	model, bag int // handles, which are never reused
	without    []int
	ev         *onnxbackend.Bound   // the bag under one model file
	folds      []*onnxbackend.Bound // the bag under each model of an ensemble
}

// of reports whether the binding is of these instances. A nil binding is of none.
func (b *binding) of(model, bag int, without []int) bool {
	return b != nil && b.model == model && b.bag == bag && slices.Equal(b.without, without)
}

// bind returns the evaluator for the instances of a request, from the binding if possible. progress
// and predicted, which gets the prediction if the graph is run, may be nil.
func (h *Host) bind(
	ctx context.Context, r target, m *onnxbackend.Model, instances *core.Bag,
	helpers *onnxbackend.Helpers, progress func(done, total int),
	predicted func(*onnxbackend.Prediction) error,
) (*onnxbackend.Bound, error) {
	// The same instances of the same bag have the same encoding.
	if b := h.bound.Load(); b.of(r.model, r.bag, r.without) {
		return b.ev, nil
	}
	h.bound.Store(nil) // one encoded bag at a time
	ev, err := m.BindPredicted(ctx, instances, helpers, progress, predicted)
	if err != nil {
		return nil, err
	}
	h.bound.Store(&binding{r.model, r.bag, slices.Clone(r.without), ev, nil})
	if !h.handles.both(r.model, r.bag) { // closed during the encoding, when unbind found no binding
		h.bound.Store(nil)
	}
	return ev, nil
}

// unbind releases the binding of a closed bag or model.
func (h *Host) unbind(handle int) {
	if b := h.bound.Load(); b != nil && (b.model == handle || b.bag == handle) {
		h.bound.CompareAndSwap(b, nil)
	}
}
