package host

import (
	"fmt"
	"sync"
)

// handles are the things that JavaScript has opened, by number. The zero value is ready.
type handles struct {
	mu   sync.Mutex
	open map[int]any
	last int
}

// add keeps a thing and returns its handle, which is never given out again.
func (h *handles) add(thing any) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		h.open = map[int]any{}
	}
	h.last++
	h.open[h.last] = thing
	return h.last
}

func (h *handles) release(handle int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, handle)
}

// both reports whether two handles are open.
func (h *handles) both(a, b int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[a] != nil && h.open[b] != nil
}

// A closedError says that a handle names nothing that is open.
type closedError struct{ what string }

func (e *closedError) Error() string {
	return fmt.Sprintf("the %s is not open: it was closed, or belongs to another engine", e.what)
}

// find returns the open thing of type T, called what in messages, behind a handle.
func find[T any](h *handles, handle int, what string) (T, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	thing, ok := h.open[handle].(T)
	if !ok {
		return thing, &closedError{what}
	}
	return thing, nil
}
