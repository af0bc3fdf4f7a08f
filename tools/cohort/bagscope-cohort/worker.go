package main

import (
	"flag"
	"os"
	"time"
)

// leaveWithStarter ends a worker after the program that started it has ended. Beam's workers do not
// exit after their work but wait to be killed. An engine that starts workers as processes kills
// only the program that started them. parent returns the worker's parent process; the worker calls
// it at each interval.
func leaveWithStarter(parent func() int, every time.Duration) {
	if w := flag.Lookup("worker"); w == nil || w.Value.String() != "true" {
		return
	}
	// The parent changes when the starter ends.
	starter := parent()
	go func() {
		for parent() == starter {
			time.Sleep(every)
		}
		os.Exit(0)
	}()
}
