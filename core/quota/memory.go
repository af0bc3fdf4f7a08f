// Package quota bounds the memory that readers, models and explanations hold together. A
// computation reserves bytes in the [Memory] of its context before it allocates them. The errors
// say which limit a file, a model or a request exceeds.
package quota

import (
	"context"
	"runtime"
	"sync"
)

// A Memory bounds the bytes that computations hold at a time. A computation reserves bytes before
// it allocates them and releases them when it no longer refers to them.
//
// Released bytes are garbage until the collector has run, and a process takes both. A Memory
// therefore counts them too: it runs the collector before a reservation would exceed the limit with
// them. The process then takes at most the limit, and what nobody reserves: the program itself,
// stacks, and small objects.
//
// Methods of a nil *Memory reserve without a bound. A Memory may be used by several goroutines.
type Memory struct {
	limit  int64
	parent *Memory // the Memory that this one is a part of, or nil
	total  *garbage

	mu   sync.Mutex
	held int64
	peak int64            // most that was held
	busy *MemoryBusyError // the last one that Reserve returned
}

// garbage counts the bytes that were released since the collector last ran, for a Memory and its
// parts.
type garbage struct {
	mu    sync.Mutex
	bytes int64
}

// NewMemory returns a Memory of limit bytes.
func NewMemory(limit int64) *Memory { return &Memory{limit: limit, total: &garbage{}} }

// Part returns a Memory of at most limit bytes, whose reservations count for m too. One computation
// has one part, so that Close releases all its reservations. A part of nil is a Memory of its own.
func (m *Memory) Part(limit int64) *Memory {
	if m == nil {
		return NewMemory(limit)
	}
	return &Memory{limit: limit, parent: m, total: m.total}
}

// Reserve reserves n >= 0 bytes, for a purpose that an error names: "the initializers". It returns
// a *MemoryError if m would hold more than its limit, and a *MemoryBusyError if m would not but
// other parts hold the bytes that are missing. It reserves nothing then.
func (m *Memory) Reserve(n int64, purpose string) error {
	if m == nil {
		return nil
	}
	err := m.add(n, purpose)
	if busy, ok := err.(*MemoryBusyError); ok {
		m.mu.Lock()
		m.busy = busy
		m.mu.Unlock()
	}
	if err != nil {
		return err
	}
	m.collect()
	return nil
}

// Move moves the reservation of n bytes from m to another Memory, with the errors of Reserve. After
// an error neither of them holds the bytes: the caller must free them.
func (m *Memory) Move(n int64, to *Memory) error {
	n = m.subtract(n)
	if to == nil {
		return nil
	}
	err := to.add(n, "memory that a computation has taken over")
	if err != nil && m != nil {
		m.total.add(n)
	}
	return err
}

// Busy returns the last *MemoryBusyError that Reserve returned, or nil. A computation that
// continued without the bytes may have another result than it has alone.
func (m *Memory) Busy() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.busy == nil {
		return nil // not a nil *MemoryBusyError in the interface
	}
	return m.busy
}

// add counts n bytes for m and its parent.
func (m *Memory) add(n int64, purpose string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.limit-m.held {
		return &MemoryError{Needed: saturatedSum(m.held, n), Limit: m.limit, Purpose: purpose}
	}
	if m.parent != nil {
		if err := m.parent.add(n, purpose); err != nil {
			alone, ok := err.(*MemoryError)
			// Parts of a part belong to one computation, which does not wait for itself.
			if ok && m.parent.parent == nil && n <= m.parent.limit-m.held {
				return &MemoryBusyError{Needed: n, Limit: alone.Limit}
			}
			return err
		}
	}
	m.held += n
	m.peak = max(m.peak, m.held)
	return nil
}

func saturatedSum(a, b int64) int64 {
	if a > 1<<62-b {
		return 1 << 62
	}
	return a + b
}

// collect runs the collector if the bytes that are held and those that were released since it last
// ran exceed the limit together.
func (m *Memory) collect() {
	root := m
	for root.parent != nil {
		root = root.parent
	}
	held := root.Held()
	m.total.mu.Lock()
	defer m.total.mu.Unlock()
	if m.total.bytes > 0 && m.total.bytes > root.limit-held {
		runtime.GC()
		m.total.bytes = 0
	}
}

// Release gives back n bytes that were reserved, or what m still holds if that is less: what a
// computation releases late, after Close, does not count twice.
func (m *Memory) Release(n int64) {
	if n = m.subtract(n); n > 0 && m != nil {
		m.total.add(n)
	}
}

// subtract ends the reservation of n bytes, at most of what m holds, and returns their number.
func (m *Memory) subtract(n int64) int64 {
	if m == nil {
		return n
	}
	for at := m; at != nil; at = at.parent {
		at.mu.Lock()
		n = min(n, at.held) // a parent may be closed before its parts
		at.held -= n
		at.mu.Unlock()
	}
	return n
}

// add counts released bytes.
func (g *garbage) add(n int64) {
	g.mu.Lock()
	g.bytes += n
	g.mu.Unlock()
}

// Close releases all bytes that m holds.
func (m *Memory) Close() { m.Release(m.Held()) }

// Held returns the bytes that are reserved and not released.
func (m *Memory) Held() int64 {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// Peak returns the most bytes that m held at a time.
func (m *Memory) Peak() int64 {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peak
}

// Limit returns the most bytes that m holds, or 0 for no bound.
func (m *Memory) Limit() int64 {
	if m == nil {
		return 0
	}
	return m.limit
}

// memoryKey is the key of a context's Memory.
type memoryKey struct{}

// WithMemory returns a context whose computations reserve their bytes in m.
func WithMemory(ctx context.Context, m *Memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// MemoryOf returns the Memory of a context, or nil.
func MemoryOf(ctx context.Context) *Memory {
	m, _ := ctx.Value(memoryKey{}).(*Memory)
	return m
}
