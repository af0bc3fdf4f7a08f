package host

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A binding is the bag that was explained last, encoded under its model. Explaining it again, with another
// method, seed or setting, encodes nothing: of the bundled example that is all but a few milliseconds.
type binding struct {
	model, bag int // handles, which are never given out twice
	without    []int
	ev         *onnxbackend.Bound
}

// bind returns the evaluator of the instances that a request explains. Progress may be nil.
func (h *Host) bind(ctx context.Context, r wire.Explain, m *onnxbackend.Model, instances *core.Bag, crew *onnxbackend.Helpers, progress func(done, total int)) (*onnxbackend.Bound, error) {
	if b := h.bound.Load(); b != nil && b.model == r.Model && b.bag == r.Bag && slices.Equal(b.without, r.Without) {
		return b.ev, nil
	}
	h.bound.Store(nil) // one encoded bag at a time
	ev, err := m.BindWith(ctx, instances, crew, progress)
	if err != nil {
		return nil, err
	}
	h.bound.Store(&binding{r.Model, r.Bag, slices.Clone(r.Without), ev})
	if !h.handles.both(r.Model, r.Bag) { // closed meanwhile, when there was nothing to let go of
		h.bound.Store(nil)
	}
	return ev, nil
}

// unbind lets go of the encoded bag when it, or its model, is closed.
func (h *Host) unbind(handle int) {
	if b := h.bound.Load(); b != nil && (b.model == handle || b.bag == handle) {
		h.bound.CompareAndSwap(b, nil)
	}
}
