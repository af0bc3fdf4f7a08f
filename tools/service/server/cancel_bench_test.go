//go:build unix

package server

import (
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// afterCancel is the promise for the processor time from a cancellation to the end of the work, and
// for what the process takes afterwards; two threads may work at a time. The benchmark fails above
// three times as much, so that a busy machine passes.
const afterCancel = 100 * time.Millisecond

// opening is more processor time than the random runs take that open a model. They are bounded by
// their number of multiplications, and are not interrupted.
const opening = time.Second

// processorTime returns what this process has used, which other processes do not lengthen.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCancelledWork measures the processor time that requests and jobs take after they are
// cancelled. Each would compute for minutes. TestDisconnectStopsWork and TestJobCancel check that
// the work stops.
func BenchmarkCancelledWork(b *testing.B) {
	s, url, _ := keeping(b, b.TempDir(), Options{Limits: ample}, jobs.Limits{})
	for _, c := range []struct {
		name string
		// begin starts work, and returns a function that cancels it.
		begin func() func()
		idle  func() bool
	}{
		{"a client that disconnects", func() func() { return busy(b, s, url, 1) },
			func() bool { return len(s.gate.working) == 0 }},
		{"a job that is cancelled", func() func() {
			j := heavyJob(b, url)
			until(b, "the bag is computed", func() bool { return s.gate.jobTurnsInUse() == 1 })
			return func() { send(b, asking(b, "DELETE", url+"/v1/jobs/"+j.ID)) }
		}, func() bool { return s.gate.jobTurnsInUse() == 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			stopping, later := time.Hour, time.Hour
			for range b.N {
				begun := processorTime(b)
				cancel := c.begin()
				until(b, "the model is open", func() bool {
					return processorTime(b) > begun+opening
				})
				before := processorTime(b)
				cancel()
				until(b, "the work has stopped", c.idle)
				stopped := processorTime(b)
				time.Sleep(200 * time.Millisecond)
				stopping = min(stopping, stopped-before)
				later = min(later, processorTime(b)-stopped)
			}
			b.ReportMetric(float64(stopping.Microseconds())/1e3, "ms-stopping")
			b.ReportMetric(float64(later.Microseconds())/1e3, "ms-later")
			if stopping > 3*afterCancel || later > 3*afterCancel {
				b.Errorf("cancelled work takes %v of processor time, and %v later; want at most %v",
					stopping, later, 3*afterCancel)
			}
		})
	}
}
