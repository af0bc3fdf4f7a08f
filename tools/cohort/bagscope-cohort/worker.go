package main

import (
	"flag"
	"os"
	"time"
)

// leaveEvery is how often a worker looks whether it is still wanted.
const leaveEvery = time.Second

// leaveWithStarter ends a worker once the program that started it has gone. Beam's workers stay when their work is over and wait to
// be killed, and an engine that starts them in processes kills their starter alone.
func leaveWithStarter() {
	if w := flag.Lookup("worker"); w == nil || w.Value.String() != "true" {
		return
	}
	starter := os.Getppid()
	go func() {
		for os.Getppid() == starter {
			time.Sleep(leaveEvery)
		}
		os.Exit(0)
	}()
}
