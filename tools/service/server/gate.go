package server

import (
	"context"
	"sync"
)

// A gate bounds the number of received requests that wait or are computed, and the smaller number
// that are computed at a time. Jobs use turns that no request needs, and no request waits for a
// job.
type gate struct {
	inside  chan struct{}
	working chan struct{}

	mu       sync.Mutex
	requests int           // requests that are computed or wait for it
	jobTurns int           // turns that jobs use
	changed  chan struct{} // closed when one of them decreases
}

// newGate returns a gate for the limits of a server.
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

// full reports whether no place is free.
func (g *gate) full() bool { return len(g.inside) == cap(g.inside) }

// leave frees a place.
func (g *gate) leave() { <-g.inside }

// work waits for a turn and calls f. It returns the cause if ctx ends first.
func (g *gate) work(ctx context.Context, f func() error) error {
	// The request counts while it waits, so that jobs yield their turns to it.
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

// add changes one of the counters. A decrease wakes the jobs that wait for a turn.
func (g *gate) add(to *int, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *to += n; n < 0 {
		close(g.changed)
		g.changed = make(chan struct{})
	}
}

// acquireJobTurn waits for a turn that no request needs and takes it for a job. It returns the
// cause if ctx ends first.
func (g *gate) acquireJobTurn(ctx context.Context) error {
	for {
		g.mu.Lock()
		if ctx.Err() == nil && g.requests+g.jobTurns < cap(g.working) {
			g.jobTurns++
			g.mu.Unlock()
			return nil
		}
		// The channel is read under the lock, so that no decrease is missed.
		changed := g.changed
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// releaseJobTurn returns the turn of a job.
func (g *gate) releaseJobTurn() { g.add(&g.jobTurns, -1) }

// jobsMustYield reports whether requests need turns that jobs use.
func (g *gate) jobsMustYield() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.requests+g.jobTurns > cap(g.working)
}

// jobTurnsInUse returns the number of turns that jobs use.
func (g *gate) jobTurnsInUse() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.jobTurns
}

// waiting returns the number of admitted requests that are not computed.
func (g *gate) waiting() int { return max(0, len(g.inside)-len(g.working)) }
