package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bagscope/bagscope/tools/service/jobs"
)

// metrics holds the values of /metrics. Labels are routes of the table and statuses, so that their
// number is bounded.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bags     *prometheus.CounterVec
	handler  http.Handler
}

// newMetrics registers the metrics of a gate and, unless it is nil, of a store.
func newMetrics(g *gate, store *jobs.Store) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bagscope_requests_total",
			Help: "Requests by route and status; 499 means that the client disconnected."},
			[]string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "bagscope_request_seconds",
			Help:    "Time from the header of a request to the end of its response.",
			Buckets: prometheus.ExponentialBuckets(.001, 4, 9)}, []string{"route"}),
	}
	m.bags = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bagscope_job_bags_total",
		Help: "Finished bags of jobs since the server started, by outcome."}, []string{"outcome"})
	// Gauges read their value when /metrics is requested.
	gauge := func(name, help string, f func() int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(f()) })
	}
	// A registry of its own, so that two servers in one process do not collide.
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.seconds,
		gauge("bagscope_working", "Requests and bags of jobs being computed.",
			func() int { return len(g.working) + g.jobTurnsInUse() }),
		gauge("bagscope_waiting", "Received requests that wait for their turn.", g.waiting),
		collectors.NewGoCollector(), collectors.NewProcessCollector(
			collectors.ProcessCollectorOpts{}))
	// A server without jobs has no metrics of jobs.
	if store != nil {
		registry.MustRegister(m.bags, &jobCollector{store})
	}
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// bag counts a bag of a job.
func (m *metrics) bag(failed bool) {
	m.bags.WithLabelValues(map[bool]string{false: "done", true: "failed"}[failed]).Inc()
}

// jobCollector collects metrics of the jobs in a store.
type jobCollector struct{ store *jobs.Store }

var (
	jobsDesc = prometheus.NewDesc("bagscope_jobs", "Stored jobs, by state.", []string{"state"},
		nil)
	bytesDesc = prometheus.NewDesc("bagscope_job_bytes", "Bytes of the stored jobs.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c *jobCollector) Describe(to chan<- *prometheus.Desc) { to <- jobsDesc; to <- bytesDesc }

// Collect implements prometheus.Collector.
func (c *jobCollector) Collect(to chan<- prometheus.Metric) {
	states, bytes, err := c.store.Usage()
	if err != nil {
		to <- prometheus.NewInvalidMetric(jobsDesc, err)
		return
	}
	for state, n := range states {
		to <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(n),
			string(state))
	}
	to <- prometheus.MustNewConstMetric(bytesDesc, prometheus.GaugeValue, float64(bytes))
}

// observe records a response.
func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
