//go:build unix

package cohort

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

var bags = flag.Int("bags", 48,
	"BenchmarkLoop: bags in the cohort; 10000 measures what the pipeline costs")

// BenchmarkLoop measures a bag of a cohort beside one of the slow twin of TestLoop, and one that
// the next run finds explained.
func BenchmarkLoop(b *testing.B) {
	list := digitLines(b, *bags)
	name := manifest(b, list...)
	b.Run("loop", func(b *testing.B) {
		measure(b, func() { loop(b, list, loopRequest, runtime.GOMAXPROCS(0)) })
	})
	for _, runner := range []string{"direct", "prism"} {
		o := Options{Manifest: name, Request: json.RawMessage(loopRequest), Metrics: []string{},
			Runner: runner}
		b.Run(runner, func(b *testing.B) {
			measure(b, func() {
				o.Out = filepath.Join(b.TempDir(), "out")
				run(b, o)
			})
		})
		b.Run(runner+" again", func(b *testing.B) {
			o.Out = filepath.Join(b.TempDir(), "out")
			run(b, o)
			b.ResetTimer()
			measure(b, func() { run(b, o) })
		})
	}
}

// measure reports the time on the clock and the processor time of f for a bag.
func measure(b *testing.B, f func()) {
	begin, used := time.Now(), processor(b)
	for range b.N {
		f()
	}
	n := b.N * *bags
	b.ReportMetric(ms(time.Since(begin), n), "ms/bag")
	b.ReportMetric(ms(processor(b)-used, n), "processor-ms/bag")
}

func ms(d time.Duration, n int) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }

// processor is the time that this process has had of all processors, which other programs do not
// lengthen as they do the time on the clock.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
