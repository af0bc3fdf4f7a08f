package server

import (
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/service/server/crowd"
)

// crowdRequests is how many requests TestCrowd sends; make soak sends more.
var crowdRequests = flag.Int("crowd-requests", 200, "requests that TestCrowd sends")

// 64 clients with mixed requests get responses, with the same bytes for the same request, or the
// status 429. No goroutine remains afterwards.
func TestCrowd(t *testing.T) {
	requests := *crowdRequests
	models := must.Get(OpenModels(digits, Limits{}, Processor{}))(t)
	bodies := must.Get(crowd.Mixed(digits))(t)
	_, url, stop, ended := running(t, Options{Models: models,
		Limits: Limits{Concurrency: 2, Queue: 40}}, time.Minute)
	before := runtime.NumGoroutine()
	r := crowd.Run(t.Context(), crowd.Options{URL: url, Clients: 64, Requests: requests,
		Bodies: bodies})
	for _, failure := range r.Failures {
		t.Error(failure)
	}
	must.Equal(t, len(r.Times), requests)
	must.Equal(t, r.Failed, 0)
	if r.Memory.Heap <= 0 || r.Memory.Resident < r.Memory.Heap || r.Memory.Goroutines < 2 {
		t.Errorf("the server reports the memory %+v", r.Memory)
	}
	t.Logf("%d requests in %v, %.0f a second, median %v, p99 %v; %d times the queue was full",
		requests, r.Took.Round(time.Millisecond),
		r.Rate(), r.Quantile(.5).Round(time.Millisecond), r.Quantile(.99).Round(time.Millisecond),
		r.Busy)
	stop()
	must.Do(t, <-ended)
	until(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}
