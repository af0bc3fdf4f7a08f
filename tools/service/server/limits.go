package server

import (
	"cmp"
	"math"
	"runtime"
	"time"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

// Limits bound what one request, and all of them together, may take. A field of zero has its default. Those that wait hold
// their bodies: Concurrency + Queue times Body at most, and those that work Concurrency times Memory beside it, twice where
// there are jobs: a bag that makes way for a request keeps what it has.
type Limits struct {
	Body        int64         // bytes of a request; default 256 MB
	Unpacked    int64         // bytes of a packed file once it is unpacked; default 1 GB
	Pixels      int64         // of one picture; default 2^26
	Instances   int64         // of the bags of one request; default 2^20
	Memory      int64         // MB that one bag and its explanation, and one run of a model, may take; default 2048
	Work        int           // multiplications, or elements touched, of one run of a model; default 2^40
	Budget      int           // model evaluations of one request; default 1,000,000
	Concurrency int           // requests that are computed at a time; default GOMAXPROCS
	Queue       int           // requests that wait for that; default 4 times as many
	Workers     int           // goroutines of one request; default GOMAXPROCS / Concurrency, at least 1
	Deadline    time.Duration // of a request, from when it begins to wait; default 1 minute
	Bag         time.Duration // of work at one bag of a job, not counting the time in which requests go first; default 10 minutes
	Upload      time.Duration // in which a body must have arrived, and each part of an answer be taken; default 1 minute
}

func (l Limits) withDefaults() Limits {
	processors := runtime.GOMAXPROCS(0)
	l.Body = cmp.Or(l.Body, 256e6)
	l.Unpacked = cmp.Or(l.Unpacked, 1e9)
	l.Pixels = cmp.Or(l.Pixels, 1<<26)
	l.Instances = cmp.Or(l.Instances, 1<<20)
	l.Memory = cmp.Or(l.Memory, 2048)
	l.Work = cmp.Or(l.Work, 1<<40)
	l.Budget = cmp.Or(l.Budget, 1_000_000)
	l.Concurrency = cmp.Or(l.Concurrency, processors)
	l.Queue = cmp.Or(l.Queue, 4*l.Concurrency)
	l.Workers = cmp.Or(l.Workers, max(1, processors/l.Concurrency))
	l.Deadline = cmp.Or(l.Deadline, time.Minute)
	l.Bag = cmp.Or(l.Bag, 10*time.Minute)
	l.Upload = cmp.Or(l.Upload, time.Minute)
	return l
}

// bags is what readers of bags may take. A bag's numbers are float32, whatever they were in the file.
func (l Limits) bags() bagio.Limits {
	return bagio.Limits{Bytes: l.Unpacked, Elements: max(1, l.Memory*1e6/4), Pixels: l.Pixels, Instances: l.Instances, Bags: l.Instances}
}

// models is what a model may take.
func (l Limits) models() onnxbackend.Limits {
	return onnxbackend.Limits{ModelBytes: int(min(l.Body, math.MaxInt)), RunBytes: int(min(l.Memory*1e6, math.MaxInt)), Work: l.Work}
}

// bound lowers what a request asks for to what it may have.
func (l Limits) bound(s *query.Settings) {
	s.Memory = lower(s.Memory, int(l.Memory))
	s.Budget = lower(s.Budget, l.Budget)
	s.Workers = l.Workers
}

// lower returns the smaller of what is asked for and the limit; asking for none is asking for no limit. What is below
// zero is left for the check of settings.
func lower(asked, limit int) int {
	if asked == 0 || asked > limit {
		return limit
	}
	return asked
}
