package main

import (
	"flag"
	"os"
	"time"
)

// leaveEvery is the interval at which a worker checks whether it is still needed.
const leaveEvery = time.Second

// leaveWithStarter ends a worker after the program that started it has ended. Beam's workers do not
// exit after their work but wait to be killed. An engine that starts workers as processes kills
// only the program that started them.
func leaveWithStarter() {
	if w := flag.Lookup("worker"); w == nil || w.Value.String() != "true" {
		return
	}
	// The parent changes when the starter ends.
	starter := os.Getppid()
	go func() {
		for os.Getppid() == starter {
			time.Sleep(leaveEvery)
		}
		os.Exit(0)
	}()
}
