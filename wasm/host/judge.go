package host

import (
	"context"

	"github.com/bagscope/bagscope/wasm/wire"
)

// judge evaluates rankings of a bag's instances.
func (h *Host) judge(ctx context.Context, id uint32, r wire.Judge) (any, error) {
	defer h.closePool(id)
	m, in, err := h.input(ctx, id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	out, err := r.Judging.Answer(ctx, in, h.workers(m), h.progress(id, r.Watch))
	if err != nil {
		return nil, err
	}
	return *out, nil
}
