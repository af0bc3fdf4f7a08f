package cohort

import (
	"context"
	"runtime"
	"sync"
)

// hands bound how many bags a process explains at a time, whatever number of batches the engine gives it.
type hands struct {
	free chan struct{}
	all  chan struct{} // held by the one who waits for all of them
}

// handsFor are those of this process, one set for each number of workers that a run asked for.
var handsFor sync.Map

func handsOf(workers int) *hands {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	h, _ := handsFor.LoadOrStore(workers, &hands{make(chan struct{}, workers), make(chan struct{}, 1)})
	return h.(*hands)
}

// take waits for a hand, or for all of them where a bag is to be alone, and returns how to give back what was taken. It returns
// the cause when ctx ends first.
func (h *hands) take(ctx context.Context, alone bool) (giveBack func(), err error) {
	wanted, taken := 1, 0
	giveBack = func() {
		for range taken {
			<-h.free
		}
	}
	if alone {
		select {
		case h.all <- struct{}{}:
			defer func() { <-h.all }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		wanted = cap(h.free)
	}
	for taken < wanted && ctx.Err() == nil {
		select {
		case h.free <- struct{}{}:
			taken++
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		giveBack()
		return nil, context.Cause(ctx)
	}
	return giveBack, nil
}
