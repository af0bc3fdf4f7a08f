package host

import "github.com/bagscope/bagscope/wasm/wire"

// A block is memory that is mapped from a file. Sets and bags share it; its fields are guarded by
// Host.mu.
type block struct {
	users   int // open sets and bags
	release func()
}

// A retiredBlock is a block without users. Requests that began before may still read it.
type retiredBlock struct {
	release func()
	waits   map[uint32]bool // IDs of these requests
}

// share adds a user to a block, unless it is nil. It returns a *closedError if the last user has
// released the block.
func (h *Host) share(b *block) error {
	if b == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if b.users == 0 {
		return &closedError{"set of bags"}
	}
	b.users++
	return nil
}

// drop removes a user from a block, unless it is nil. The memory of a block without users is
// returned when all requests that are running or waiting have ended.
func (h *Host) drop(b *block) {
	if b == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	r := &retiredBlock{b.release, map[uint32]bool{}}
	for id := range h.pending {
		r.waits[id] = true
	}
	h.retired = append(h.retired, r)
}

// endBlocks returns the memory that waited for a request, which has ended. The caller holds h.mu.
func (h *Host) endBlocks(id uint32) {
	var rest []*retiredBlock
	for _, r := range h.retired {
		if delete(r.waits, id); len(r.waits) == 0 {
			r.release()
		} else {
			rest = append(rest, r)
		}
	}
	h.retired = rest
}

// release closes a model, a set or a bag.
func (h *Host) release(r wire.Release) (any, error) {
	thing := h.handles.release(r.Handle)
	h.unbind(r.Handle)
	switch t := thing.(type) {
	case *heldSet:
		h.drop(t.block)
	case *heldBag:
		h.drop(t.block)
	}
	return wire.Done{}, nil
}
