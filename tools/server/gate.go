package server

import (
	"context"
	"sync"
	"sync/atomic"
)

// A gate lets a bounded number of requests in, to be read and to wait, and fewer of them work at a time. What is beyond
// is refused at once: a body that nobody has time for is not read. Jobs work where no request waits to.
type gate struct {
	inside  chan struct{}
	working chan struct{}
	lent    atomic.Int64 // turns that jobs have

	mu      sync.Mutex
	wanting int           // requests that wait for a turn
	calm    chan struct{} // closed while there is none
}

func newGate(l Limits) *gate {
	g := &gate{inside: make(chan struct{}, l.Concurrency+l.Queue), working: make(chan struct{}, l.Concurrency), calm: make(chan struct{})}
	close(g.calm)
	return g
}

// enter takes a place inside, if there is one.
func (g *gate) enter() bool {
	select {
	case g.inside <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) leave() { <-g.inside }

// work waits for a turn and does f. It returns the cause when ctx ends first.
func (g *gate) work(ctx context.Context, f func() error) error {
	select {
	case g.working <- struct{}{}:
	default:
		g.want(1)
		select {
		case g.working <- struct{}{}:
			g.want(-1)
		case <-ctx.Done():
			g.want(-1)
			return context.Cause(ctx)
		}
	}
	defer func() { <-g.working }()
	return f()
}

// want notes that a request begins or ends to wait.
func (g *gate) want(change int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.wanting
	g.wanting += change
	switch {
	case before == 0:
		g.calm = make(chan struct{})
	case g.wanting == 0:
		close(g.calm)
	}
}

// wanted reports whether a request waits for a turn, and returns what is closed once none does.
func (g *gate) wanted() (bool, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wanting > 0, g.calm
}

// borrow takes a turn for a job, once no request waits for it. It returns the cause when ctx ends first.
func (g *gate) borrow(ctx context.Context) error {
	for {
		_, calm := g.wanted()
		select {
		case <-calm:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		select {
		case g.working <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		// A request that came in between has stood in line for the turn since, and gets it.
		if wanted, _ := g.wanted(); !wanted {
			g.lent.Add(1)
			return nil
		}
		<-g.working
	}
}

// giveBack ends a turn that was borrowed.
func (g *gate) giveBack() {
	g.lent.Add(-1)
	<-g.working
}

// waiting is how many are inside and do not work.
func (g *gate) waiting() int {
	return max(0, len(g.inside)-len(g.working)+int(g.lent.Load()))
}
