package damage

import (
	"runtime/debug"
	"time"
)

// Patience is the time in which a reader must end, on any machine. It is a guard against loops
// without an end, not a measurement: readers take milliseconds.
const Patience = 2 * time.Minute

// Ends calls f, and panics with the stacks of all goroutines if f does not return within Patience.
// what names the file that f reads.
func Ends(what string, f func()) {
	guard := time.AfterFunc(Patience, func() {
		debug.SetTraceback("all")
		panic(what + " does not end")
	})
	defer guard.Stop()
	f()
}
