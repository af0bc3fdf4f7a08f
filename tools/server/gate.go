package server

import "context"

// A gate lets a bounded number of requests in, to be read and to wait, and fewer of them work at a time. What is beyond
// is refused at once: a body that nobody has time for is not read.
type gate struct {
	inside  chan struct{}
	working chan struct{}
}

func newGate(l Limits) *gate {
	return &gate{make(chan struct{}, l.Concurrency+l.Queue), make(chan struct{}, l.Concurrency)}
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
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-g.working }()
	return f()
}

// waiting is how many are inside and do not work.
func (g *gate) waiting() int { return max(0, len(g.inside)-len(g.working)) }
