package server

import (
	"cmp"
	"math"
	"runtime"
	"time"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// Limits bound one request and all requests together. A zero field has its default.
type Limits struct {
	Body      int64 // bytes of a request; default 256 MB
	Unpacked  int64 // decompressed bytes of a file; default 1 GB
	Pixels    int64 // pixels of one picture; default 2^26
	Instances int64 // instances of one request; default 2^20
	// Memory is in MB. It bounds what all requests, jobs and registered models hold together:
	// bodies, models, bags, runs and explanations; default 2048. A request that needs more fails;
	// one that would fit alone gets status 503, and a job's bag is tried again.
	Memory int64
	// Held counts that memory. Registered models and the server must have the same one; nil makes
	// the server have its own.
	Held *quota.Memory
	// Work bounds the multiplications or accessed elements in one run of a model; default 2^40.
	Work        int
	Budget      int // model evaluations of one request; default 1,000,000
	Concurrency int // requests computed concurrently; default GOMAXPROCS
	Queue       int // waiting requests; default 4 * Concurrency
	// Workers is the number of goroutines of one request; default GOMAXPROCS / Concurrency, at
	// least 1.
	Workers int
	// Deadline is the time limit of a request, including its time in the queue; default 1 minute.
	Deadline time.Duration
	// Bag is the time limit for one bag of a job, without its pauses for requests; default 10
	// minutes.
	Bag time.Duration
	// Upload is the time limit for receiving a body, and for sending each part of a response;
	// default 1 minute.
	Upload time.Duration
}

// withDefaults returns the limits with defaults for zero fields.
func (l Limits) withDefaults() Limits {
	processors := runtime.GOMAXPROCS(0)
	concurrency := cmp.Or(l.Concurrency, processors)
	return Limits{
		Body:        cmp.Or(l.Body, 256e6),
		Unpacked:    cmp.Or(l.Unpacked, 1e9),
		Pixels:      cmp.Or(l.Pixels, 1<<26),
		Instances:   cmp.Or(l.Instances, 1<<20),
		Memory:      cmp.Or(l.Memory, 2048),
		Held:        l.Held,
		Work:        cmp.Or(l.Work, 1<<40),
		Budget:      cmp.Or(l.Budget, 1_000_000),
		Concurrency: concurrency,
		Queue:       cmp.Or(l.Queue, 4*concurrency),
		Workers:     cmp.Or(l.Workers, max(1, processors/concurrency)),
		Deadline:    cmp.Or(l.Deadline, time.Minute),
		Bag:         cmp.Or(l.Bag, 10*time.Minute),
		Upload:      cmp.Or(l.Upload, time.Minute),
	}
}

// WithMemory returns the limits with a Held of Memory, for OpenModels and New.
func (l Limits) WithMemory() Limits {
	l.Held = quota.NewMemory(l.withDefaults().Memory * 1e6)
	return l
}

// part returns the memory of one request or job.
func (l Limits) part() *quota.Memory { return l.Held.Part(l.Memory * 1e6) }

// bags returns the limits for reading bags into m. The numbers of a bag are float32 for every file
// type.
func (l Limits) bags(m *quota.Memory) bagio.Limits {
	// A value takes four bytes of the memory limit.
	return bagio.Limits{Bytes: l.Unpacked, Elements: max(1, l.Memory*1e6/4), Pixels: l.Pixels,
		Instances: l.Instances, Bags: l.Instances, Memory: m}
}

// models returns the limits for a model in m that a client sends. On a 32-bit machine an int is
// smaller than some limits.
func (l Limits) models(m *quota.Memory) onnxbackend.Limits {
	return onnxbackend.Limits{ModelBytes: int(min(l.Body, math.MaxInt)),
		RunBytes: int(min(l.Memory*1e6, math.MaxInt)), Work: l.Work, Memory: m}
}

// bound reduces the settings of a request to the limits.
func (l Limits) bound(s *ask.Settings) {
	s.Memory = bounded(s.Memory, int(l.Memory))
	s.Budget = bounded(s.Budget, l.Budget)
	s.Workers = l.Workers
}

// bounded returns the smaller of the requested value and the limit. Zero means no requested limit.
// It does not change negative values, which the check of the settings rejects.
func bounded(requested, limit int) int { return min(cmp.Or(requested, limit), limit) }
