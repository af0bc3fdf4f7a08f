package study

import (
	"context"
	"errors"
	"sync"

	"github.com/bagscope/bagscope/core/quota"
)

// A sharedMemory runs work on several goroutines that share the Memory of a context.
type sharedMemory struct{ running sync.RWMutex }

// do runs work i and, if it found the memory held by others, once more while no other work runs.
func (s *sharedMemory) do(
	ctx context.Context, i int, work func(ctx context.Context, i int) error,
) error {
	s.running.RLock()
	err := inPart(ctx, func(ctx context.Context) error { return work(ctx, i) })
	s.running.RUnlock()
	if errors.As(err, new(*quota.MemoryBusyError)) {
		s.running.Lock()
		defer s.running.Unlock()
		return inPart(ctx, func(ctx context.Context) error { return work(ctx, i) })
	}
	return err
}

// inPart runs work in a part of the Memory of ctx, which it closes.
func inPart(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, end := partOf(ctx)
	defer end()
	err := work(ctx)
	if busy := quota.MemoryOf(ctx).Busy(); busy != nil {
		return busy // the result could depend on what runs beside it
	}
	return err
}

// partOf returns a context with a part of the Memory of ctx, which end closes.
func partOf(ctx context.Context) (part context.Context, end func()) {
	m := quota.MemoryOf(ctx)
	if m == nil {
		return ctx, func() {}
	}
	p := m.Part(m.Limit())
	return quota.WithMemory(ctx, p), p.Close
}
