//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// processorTime returns what this process has used, which other processes do not lengthen.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCancelledCommand measures the processor time that a command takes after Ctrl-C. The
// promise is 100 ms; it fails above three times as much, so that a busy machine passes.
func BenchmarkCancelledCommand(b *testing.B) {
	const most = 300 * time.Millisecond
	least := time.Hour
	for range b.N {
		var before time.Duration
		cancelCommand(b, func() { before = processorTime(b) })
		least = min(least, processorTime(b)-before)
	}
	b.ReportMetric(float64(least.Microseconds())/1e3, "ms-stopping")
	if least > most {
		b.Errorf("an interrupted command takes %v of processor time, want at most %v", least, most)
	}
}
