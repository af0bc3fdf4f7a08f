package host

import (
	"sync"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// handles stores the models, sets and bags that JavaScript has opened, by number. The zero value is
// empty.
type handles struct {
	mu   sync.Mutex
	open map[int]any
	last int
}

// add stores a value and returns its handle. Handles are never reused.
func (h *handles) add(thing any) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		h.open = map[int]any{}
	}
	// A reused handle could name another thing than the page expects.
	h.last++
	h.open[h.last] = thing
	return h.last
}

// release removes a handle and returns its value, or nil. Requests that already use the value
// continue.
func (h *handles) release(handle int) any {
	h.mu.Lock()
	defer h.mu.Unlock()
	thing := h.open[handle]
	delete(h.open, handle)
	return thing
}

// both reports whether two handles are open.
func (h *handles) both(a, b int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[a] != nil && h.open[b] != nil
}

// A closedError reports a handle that is not open.
type closedError struct{ what string }

// Error names the kind of thing that is closed.
func (e *closedError) Error() string {
	return msg.Sprintf("the %s is not open: it was closed, or belongs to another engine", e.what)
}

// Kind returns "setting".
func (e *closedError) Kind() string { return kind.Setting }

// find returns the open value of type T with a handle, or a *closedError. Messages call it what.
func find[T any](h *handles, handle int, what string) (T, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A handle of another kind is treated like one that is closed.
	thing, ok := h.open[handle].(T)
	if !ok {
		return thing, &closedError{what}
	}
	return thing, nil
}
