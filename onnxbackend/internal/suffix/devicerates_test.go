package suffix_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// clock returns a clock that is read after these durations, and fails the test if it is read again.
func clock(t *testing.T, steps ...time.Duration) func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		if len(steps) == 0 {
			t.Error("the clock is read again: is there a second probe?")
			return at
		}
		at, steps = at.Add(steps[0]), steps[1:]
		return at
	}
}

// TestProbeChoosesTheFaster opens a device that is faster or slower than one thread, or fails. The
// probe runs once, its first run does not count, and the notes say both rates.
func TestProbeChoosesTheFaster(t *testing.T) {
	bag := digitsBag(60)
	want, _ := boundScores(t, openDigits(t, onnxbackend.Options{}), bag)
	const second = time.Second
	for _, c := range []struct {
		name     string
		d        *fakeDevice
		times    []time.Duration // time between two readings of the clock
		onDevice bool
		note     string
	}{
		{"faster", &fakeDevice{},
			[]time.Duration{0, 10 * second, 0, second / 8, 0, second / 4}, true,
			"fake encoded 8.0 instances a second, and 1 threads of the CPU 4.0."},
		{"slower", &fakeDevice{}, []time.Duration{0, 0, 0, second / 2, 0, second / 25}, false,
			"fake encoded 2.0 instances a second, and 1 threads of the CPU 25."},
		{"fails", &fakeDevice{breaks: 2}, []time.Duration{0, 0, second}, false,
			"fake encoded no instances, and 1 threads of the CPU 1.0 a second."},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.largest, c.d.work = 1<<30, 10_000_000_000_000&math.MaxInt
			m := openDigits(t, onnxbackend.Options{Device: c.d, Workers: 1})
			enginetest.EncoderOf(m).Now = clock(t, c.times...)
			for range 2 {
				got, notes := boundScores(t, m, bag)
				must.EqualSlices(t, got, want)
				must.Equal(t, strings.Contains(notes, "fake encoded the bag: "), c.onDevice, c.note)
				must.Contain(t, notes, "In a short probe, "+c.note)
			}
		})
	}
}

// TestProbeWaitsForWork gives a device small bags: the CPU encodes them until their work together
// is worth a probe. A bag of fewer instances than the probe's takes as long as these.
func TestProbeWaitsForWork(t *testing.T) {
	d := &fakeDevice{largest: 1 << 30, work: 10_000_000_000_000 & math.MaxInt}
	m := openDigits(t, onnxbackend.Options{Device: d, Workers: 1})
	enginetest.EncoderOf(m).Now = clock(t, 0, 0, 0, time.Second, 0, 30*time.Second)
	var on []bool
	for range 4 {
		_, notes := boundScores(t, m, digitsBag(10))
		on = append(on, strings.Contains(notes, "fake encoded the bag: "))
	}
	must.EqualSlices(t, on, []bool{false, false, true, true})
	slow := &fakeDevice{largest: 1 << 30, work: 1e8}
	m = openDigits(t, onnxbackend.Options{Device: slow, Workers: 1})
	enginetest.EncoderOf(m).Now = clock(t, 0, 0, 0, time.Millisecond, 0, time.Millisecond/2)
	_, notes := boundScores(t, m, digitsBag(1000))
	must.Contain(t, notes, "fake encoded the bag: ")
	if _, notes = boundScores(t, m, digitsBag(1)); strings.Contains(notes, "encoded the bag: it") {
		t.Errorf("one instance: notes %q", notes)
	}
}
