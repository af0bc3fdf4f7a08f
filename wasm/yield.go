//go:build js && wasm

package main

import (
	"time"

	"github.com/hack-pad/safejs"
)

// yieldInterval is the time between two yields of a computation. A cancellation arrives after at
// most this time and one evaluation.
const yieldInterval = 8 * time.Millisecond

// An eventLoop runs the event loop of JavaScript between parts of a computation.
type eventLoop struct {
	port safejs.Value
	turn chan struct{} // holds one token after the event loop has run
	last time.Time     // time of the last yield
}

// yield sleeps until the event loop has run, if the last yield is longer ago than yieldInterval.
// Several goroutines may sleep; each yield wakes one.
func (b *eventLoop) yield() {
	if time.Since(b.last) < yieldInterval {
		return
	}
	b.last = time.Now()
	if _, err := b.port.Call("yield"); err != nil {
		return // sleeping would never end without the event loop
	}
	<-b.turn
	b.last = time.Now()
}

// wake ends one yield. The event loop calls it once for each yield.
func (b *eventLoop) wake() {
	select {
	case b.turn <- struct{}{}:
	default:
	}
}
