//go:build unix

package onnxbackend_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// cancelWithin is the promise for the time between two looks at a context. The benchmark fails
// above three times as much, so that a busy machine passes.
const cancelWithin = 50 * time.Millisecond

// timed is a context that notes the longest processor time between two looks at it.
type timed struct {
	watched
	last, gap time.Duration
}

func (w *timed) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := processorTime()
	if w.last > 0 {
		w.gap = max(w.gap, now-w.last)
	}
	w.last = now
	return nil
}

// processorTime is what this process has used, which other processes do not lengthen.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCancellation measures the time between looks at the context, in the best of its rounds.
func BenchmarkCancellation(b *testing.B) {
	for _, c := range cancellable(b) {
		b.Run(c.name, func(b *testing.B) {
			least := time.Hour
			for range b.N {
				w := &timed{watched: watched{Context: context.Background()}}
				must.Do(b, c.run(w))
				least = min(least, w.gap)
			}
			b.ReportMetric(float64(least.Microseconds())/1e3, "ms-between-looks")
			if least > 3*cancelWithin {
				b.Errorf("%v go by between two looks at the context", least)
			}
		})
	}
}
