package server

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/bagscope/bagscope/tools/service/jobs"
)

// serverMetrics holds the values of /metrics, in the text format of Prometheus. README.md says what
// each means. Labels are routes of the table and statuses, so that their number is bounded.
type serverMetrics struct {
	set   *metrics.Set
	store *jobs.Store // nil for a server without jobs
}

// requestBuckets are upper bounds in seconds.
var requestBuckets = metrics.ExponentialBuckets(.001, 4, 9)

// newMetrics registers the metrics of a gate and, unless it is nil, of a store.
func newMetrics(g *gate, store *jobs.Store) *serverMetrics {
	metrics.ExposeMetadata(true) // a comment states the type of each
	// A set of its own, so that two servers in one process do not collide.
	m := &serverMetrics{metrics.NewSet(), store}
	// Gauges read their value when /metrics is requested.
	m.set.NewGauge("bagscope_working",
		func() float64 { return float64(len(g.working) + g.jobTurnsInUse()) })
	m.set.NewGauge("bagscope_waiting", func() float64 { return float64(g.waiting()) })
	return m
}

// text returns all metrics, and those of the process. Errors are those of jobs.Store.Usage.
func (m *serverMetrics) text() ([]byte, error) {
	var text bytes.Buffer
	m.set.WritePrometheus(&text)
	if m.store != nil {
		states, size, err := m.store.Usage()
		if err != nil {
			return nil, err
		}
		for _, state := range slices.Sorted(maps.Keys(states)) {
			metrics.WriteGaugeUint64(&text, fmt.Sprintf("bagscope_jobs{state=%q}", state),
				uint64(states[state]))
		}
		metrics.WriteGaugeUint64(&text, "bagscope_job_bytes", uint64(size))
	}
	metrics.WriteProcessMetrics(&text)
	return text.Bytes(), nil
}

// bag counts a bag of a job.
func (m *serverMetrics) bag(failed bool) {
	outcome := map[bool]string{false: "done", true: "failed"}[failed]
	m.set.GetOrCreateCounter(fmt.Sprintf("bagscope_job_bags_total{outcome=%q}", outcome)).Inc()
}

// observe records a response.
func (m *serverMetrics) observe(route string, status int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf("bagscope_requests_total{route=%q,status=\"%d\"}", route,
		status)).Inc()
	m.set.GetOrCreatePrometheusHistogramExt(
		fmt.Sprintf("bagscope_request_seconds{route=%q}", route),
		requestBuckets).Update(took.Seconds())
}
