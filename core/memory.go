package core

import (
	"fmt"
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
	parent *Memory // of a part
	total  *garbage

	mu   sync.Mutex
	held int64
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
	if err := m.add(n, purpose); err != nil {
		return err
	}
	m.collect()
	return nil
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
			if alone, ok := err.(*MemoryError); ok && n <= m.parent.limit-m.held {
				return &MemoryBusyError{Needed: n, Limit: alone.Limit}
			}
			return err
		}
	}
	m.held += n
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

// Release gives back n bytes that were reserved.
func (m *Memory) Release(n int64) {
	if m == nil || n == 0 {
		return
	}
	m.total.mu.Lock()
	m.total.bytes += n
	m.total.mu.Unlock()
	for at := m; at != nil; at = at.parent {
		at.mu.Lock()
		at.held -= n
		at.mu.Unlock()
	}
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

// Limit returns the most bytes that m holds, or 0 for no bound.
func (m *Memory) Limit() int64 {
	if m == nil {
		return 0
	}
	return m.limit
}

// A MemoryBusyError reports that other computations hold memory which a computation needs. The same
// computation can succeed later.
type MemoryBusyError struct{ Needed, Limit int64 } // bytes

func (e *MemoryBusyError) Error() string {
	return fmt.Sprintf(
		"%d MB of memory are needed, and other computations hold too much of the %d "+
			"MB that are allowed; try again later", (e.Needed+999_999)/1e6, e.Limit/1e6)
}
