//go:build js && wasm

package main

import (
	"time"

	"github.com/hack-pad/safejs"
)

// breathPause is how long a computation may keep the thread to itself. A cancellation is seen after
// at most this and one evaluation.
const breathPause = 8 * time.Millisecond

// A breath gives the event loop its turns.
type breath struct {
	port safejs.Value
	turn chan struct{} // holds one token when the event loop has come round
	last time.Time     // when the event loop had its last turn
}

// take sleeps until the event loop has come round, if its last turn is longer ago than breathPause.
// Several goroutines may sleep; each wakes by its own turn.
func (b *breath) take() {
	if time.Since(b.last) < breathPause {
		return
	}
	b.last = time.Now()
	if _, err := b.port.Call("yield"); err != nil {
		return // the event loop cannot be asked, so go on rather than sleep for ever
	}
	<-b.turn
	b.last = time.Now()
}

// wake is called from the event loop, once for each yield.
func (b *breath) wake() {
	select {
	case b.turn <- struct{}{}:
	default:
	}
}
