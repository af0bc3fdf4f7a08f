package server

import (
	"context"
	"sync"
)

// A gate bounds the number of requests that are read or wait, and the smaller number that are
// computed at a time. It rejects further requests before their bodies are read. Jobs use turns that
// no request needs, and no request waits for a job.
type gate struct {
	inside  chan struct{}
	working chan struct{}

	mu       sync.Mutex
	requests int           // requests that are computed or wait for it
	lent     int           // turns that jobs use
	changed  chan struct{} // closed when one of them decreases
}

func newGate(l Limits) *gate {
	return &gate{inside: make(chan struct{}, l.Concurrency+l.Queue),
		working: make(chan struct{}, l.Concurrency), changed: make(chan struct{})}
}

// enter takes a place and reports whether one was free.
func (g *gate) enter() bool {
	select {
	case g.inside <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) leave() { <-g.inside }

// work waits for a turn and calls f. It returns the cause if ctx ends first.
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

// borrow waits for a turn that no request needs and takes it for a job. It returns the cause if ctx
// ends first.
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

// giveBack returns a borrowed turn.
func (g *gate) giveBack() { g.add(&g.lent, -1) }

// crowded reports whether requests need turns that jobs use.
func (g *gate) crowded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.requests+g.lent > cap(g.working)
}

// borrowed returns the number of turns that jobs use.
func (g *gate) borrowed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lent
}

// waiting returns the number of admitted requests that are not computed.
func (g *gate) waiting() int { return max(0, len(g.inside)-len(g.working)) }
