package cohort

import (
	"context"
	"runtime"
	"sync"
)

// A semaphore bounds the number of bags that a process explains concurrently, for any number of
// batches.
type semaphore struct {
	slots     chan struct{}
	exclusive chan struct{} // held by the caller that waits for all slots
}

// semaphores holds the semaphores of this process by their number of workers, an int.
var semaphores sync.Map

// semaphoreFor returns the semaphore of this process for a number of workers, 0 for one per
// processor.
func semaphoreFor(workers int) *semaphore {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s, _ := semaphores.LoadOrStore(workers, &semaphore{make(chan struct{}, workers),
		make(chan struct{}, 1)})
	return s.(*semaphore)
}

// acquire waits for one slot, or for all slots if a bag must run alone. The caller must call
// release. If ctx ends first, acquire returns its cause.
func (s *semaphore) acquire(ctx context.Context, alone bool) (release func(), err error) {
	wanted, held := 1, 0
	release = func() {
		for range held {
			<-s.slots
		}
	}
	if alone {
		select {
		case s.exclusive <- struct{}{}:
			defer func() { <-s.exclusive }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		wanted = cap(s.slots)
	}
	for held < wanted && ctx.Err() == nil {
		select {
		case s.slots <- struct{}{}:
			held++
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		release()
		return nil, context.Cause(ctx)
	}
	return release, nil
}
