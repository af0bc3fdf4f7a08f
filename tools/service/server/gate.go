package server

import (
	"context"
	"sync"
)

// A gate lets a bounded number of requests in, to be read and to wait, and fewer of them work at a time. What is beyond
// is refused at once: a body that nobody has time for is not read. Jobs work where requests leave turns over, and no
// request waits for a job.
type gate struct {
	inside  chan struct{}
	working chan struct{}

	mu       sync.Mutex
	requests int           // requests that work or wait to
	lent     int           // turns that jobs have
	changed  chan struct{} // closed when either becomes less
}

func newGate(l Limits) *gate {
	return &gate{inside: make(chan struct{}, l.Concurrency+l.Queue), working: make(chan struct{}, l.Concurrency), changed: make(chan struct{})}
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
	g.add(&g.requests, 1)
	defer g.add(&g.requests, -1)
	select {
	case g.working <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-g.working }()
	return f()
}

func (g *gate) add(to *int, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *to += n; n < 0 {
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

// borrow takes a turn for a job, once requests leave one over. It returns the cause when ctx ends first.
func (g *gate) borrow(ctx context.Context) error {
	for {
		g.mu.Lock()
		if ctx.Err() == nil && g.requests+g.lent < cap(g.working) {
			g.lent++
			g.mu.Unlock()
			return nil
		}
		changed := g.changed
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// giveBack ends a turn that was borrowed.
func (g *gate) giveBack() { g.add(&g.lent, -1) }

// crowded reports whether requests want turns that jobs have.
func (g *gate) crowded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.requests+g.lent > cap(g.working)
}

// borrowed is how many turns jobs have.
func (g *gate) borrowed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lent
}

// waiting is how many requests are inside and do not work.
func (g *gate) waiting() int { return max(0, len(g.inside)-len(g.working)) }
