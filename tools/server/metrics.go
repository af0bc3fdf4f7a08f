package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics tells. Labels are routes of the table and statuses: their number is bounded.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	handler  http.Handler
}

func newMetrics(g *gate) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bagscope_requests_total", Help: "Requests by route and status; 499 is a client that left."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bagscope_request_seconds", Help: "Time from a request's head to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(.001, 4, 9)}, []string{"route"}),
	}
	gauge := func(name, help string, f func() int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(f()) })
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.seconds,
		gauge("bagscope_working", "Requests that are computed.", func() int { return len(g.working) }),
		gauge("bagscope_waiting", "Requests that are read or wait for their turn.", g.waiting),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
