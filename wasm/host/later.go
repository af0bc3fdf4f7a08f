package host

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A laterBag is a bag of a deferred set: a page shows a series after its headers are read, and its
// first slice before the others.
type laterBag struct {
	set       *bagio.Set
	index     int
	instances int
	bytes     int64 // of all values

	mu   sync.Mutex
	read *heldBag // nil until the values of all instances are needed
}

// openLater opens a bag of a deferred set.
func (h *Host) openLater(set *bagio.Set, index int) (any, error) {
	outline, instances, err := set.Outline(index)
	if err != nil {
		return nil, err
	}
	b := &laterBag{set: set, index: index, instances: instances,
		bytes: 4 * int64(instances*outline.Stride())}
	return wire.BagOpened{Handle: h.handles.add(b), Info: infoOf(outline, instances)}, nil
}

// some opens a bag of some instances, and reads no others.
func (b *laterBag) some(h *Host, instances []int) (any, error) {
	if err := inRange("instances", instances, b.instances); err != nil {
		return nil, err
	}
	bag, err := b.set.Some(h.inRoom(context.Background()), b.index, instances, nil)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	return h.opened(&heldBag{bag: bag, notes: b.set.Notes()}), nil
}

// whole implements openBag. What other requests wait for is read once.
func (b *laterBag) whole(
	h *Host, ctx context.Context, progress func(done, total int),
) (*heldBag, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read != nil {
		return b.read, nil
	}
	all := others(nil, b.instances)
	if h.config.Expect != nil {
		h.config.Expect(b.bytes)
	}
	bag, err := b.set.Some(h.inRoom(ctx), b.index, all, h.steps(ctx, progress))
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	b.read = &heldBag{bag: bag, notes: b.set.Notes(), covariates: b.set.Covariates()}
	return b.read, nil
}
