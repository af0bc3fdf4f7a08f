//go:build unix

package server

import (
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/tools/service/jobs"
)

// afterCancel bounds the processor time from a cancellation to the end of the work, and what the
// process takes afterwards. The promise is 100 ms; two threads may work at a time.
const afterCancel = 100 * time.Millisecond

// opening is more processor time than the random runs take that open a model. They are bounded by
// their number of multiplications, and are not interrupted.
const opening = time.Second

// processorTime returns what this process has used, which other processes do not lengthen.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCancelledWorkCostsLittle measures the processor time that requests and jobs take after they
// are cancelled, in the best of several rounds. Each would compute for minutes.
func TestCancelledWorkCostsLittle(t *testing.T) {
	s, url, _ := keeping(t, t.TempDir(), Options{Limits: ample}, jobs.Limits{})
	for _, c := range []struct {
		name string
		// begin starts work, and returns a function that cancels it.
		begin func() func()
		idle  func() bool
	}{
		{"a client that disconnects", func() func() { return busy(t, s, url, 1) },
			func() bool { return len(s.gate.working) == 0 }},
		{"a job that is cancelled", func() func() {
			j := heavyJob(t, url)
			until(t, "the bag is computed", func() bool { return s.gate.jobTurnsInUse() == 1 })
			return func() { send(t, asking(t, "DELETE", url+"/v1/jobs/"+j.ID)) }
		}, func() bool { return s.gate.jobTurnsInUse() == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			stopping, later := time.Hour, time.Hour
			for range 3 {
				begun := processorTime(t)
				cancel := c.begin()
				until(t, "the model is open", func() bool {
					return processorTime(t) > begun+opening
				})
				before := processorTime(t)
				cancel()
				until(t, "the work has stopped", c.idle)
				stopped := processorTime(t)
				time.Sleep(200 * time.Millisecond)
				stopping = min(stopping, stopped-before)
				later = min(later, processorTime(t)-stopped)
			}
			t.Logf("%v until the work has stopped, %v in the 200 ms after it", stopping, later)
			if stopping > afterCancel || later > afterCancel {
				t.Errorf("cancelled work takes %v of processor time, and %v later; want at most %v",
					stopping, later, afterCancel)
			}
		})
	}
}
