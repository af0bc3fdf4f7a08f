package offload

import (
	"sync"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// Rates are what a probe has measured of a model.
type Rates struct {
	Instances int           // number that the device encoded at a time
	Device    time.Duration // time that they took; 0 if the device could not encode them
	CPU       float64       // instances a second on the CPU, by all threads
}

// faster reports whether the device encodes k instances sooner than the CPU. Fewer instances than
// those of the probe are assumed to take as long as these.
func (r *Rates) faster(k int) bool {
	blocks := max(1, float64(k)/float64(r.Instances))
	return r.Device > 0 && blocks*r.Device.Seconds() < float64(k)/r.CPU
}

// A trial is the probe of a model, or the work that waits for it.
type trial struct {
	mu      sync.Mutex
	seconds float64 // assumed time of the CPU for bags
	rates   *Rates  // nil before the probe
}

// Bounds of a probe. It may add a twentieth to the time of the CPU, which is only assumed before.
const (
	probeFrom   = 3    // seconds of the CPU's work from which a probe is made
	probeShare  = 20   // how many times longer than the probe the CPU works
	deviceProbe = 1e10 // multiplications of the device's probe
	threadProbe = 1e9  // multiplications of a thread's probe
)

// A Prober measures rates: with onDevice instances on the device, and with onThread instances on
// each thread of the CPU.
type Prober func(onDevice, onThread int) (*Rates, error)

// Faster reports whether the device encodes a bag of k instances sooner than the CPU. in is a block
// of rows instances. The first call whose work is long enough, together with that of the calls
// before, calls probe. Its rates hold for all later bags; calls with less work than that choose the
// CPU. With an error of probe, the CPU is chosen too, and a later call tries again.
func (m *Model) Faster(p *plan.Program, in Input, rows, k int, probe Prober) bool {
	if m.always {
		return true
	}
	each := float64(max(1, m.try(p, in).Work/rows))
	t := &m.trial
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rates != nil {
		return t.rates.faster(k)
	}
	t.seconds += each * float64(k) / (threadSpeed * float64(m.threads))
	onDevice := min(rows, max(1, int(deviceProbe/each)))
	onThread := min(rows, max(1, int(threadProbe/each)))
	seconds := each * (2*float64(onDevice)/deviceGain + float64(onThread)) / threadSpeed
	if t.seconds < max(probeFrom, probeShare*seconds) {
		return false
	}
	rates, err := probe(onDevice, onThread)
	if err != nil {
		return false
	}
	t.rates = rates
	return rates.faster(k)
}

// ratesNote says what a probe has measured, "" if there was none.
func (m *Model) ratesNote() string {
	m.trial.mu.Lock()
	defer m.trial.mu.Unlock()
	r := m.trial.rates
	if r == nil {
		return ""
	}
	name := m.device.Name()
	if r.Device == 0 {
		return msg.Sprintf("In a short probe, %s encoded no instances, and %d threads of the CPU "+
			"%s a second.", name, m.threads, rate(r.CPU))
	}
	return msg.Sprintf("In a short probe, %s encoded %s instances a second, and %d threads of the "+
		"CPU %s.", name, rate(float64(r.Instances)/r.Device.Seconds()), m.threads, rate(r.CPU))
}

// rate returns a number of instances a second as a text.
func rate(v float64) string {
	if v < 10 {
		return msg.Sprintf("%.1f", v)
	}
	return msg.Sprintf("%.0f", v)
}
