package cohort

import (
	"context"
	"runtime"
	"sync"

	weighted "golang.org/x/sync/semaphore"
)

// A semaphore bounds the number of bags that a process explains concurrently, for any number of
// batches. It serves callers in their order, so that a bag that needs all slots gets them.
type semaphore struct {
	slots *weighted.Weighted
	count int64
}

// semaphores holds the semaphores of this process by their number of workers, an int.
var semaphores sync.Map

// semaphoreFor returns the semaphore of this process for a number of workers, 0 for one per
// processor.
func semaphoreFor(workers int) *semaphore {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	n := int64(workers)
	s, _ := semaphores.LoadOrStore(workers, &semaphore{weighted.NewWeighted(n), n})
	return s.(*semaphore)
}

// acquire waits for one slot, or for all slots if a bag must run alone. The caller must call
// release. If ctx ends first, acquire returns its cause.
func (s *semaphore) acquire(ctx context.Context, alone bool) (release func(), err error) {
	n := int64(1)
	if alone {
		n = s.count
	}
	if s.slots.Acquire(ctx, n) != nil {
		return nil, context.Cause(ctx)
	}
	return func() { s.slots.Release(n) }, nil
}
