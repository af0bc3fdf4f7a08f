// Package crowd is a load generator. It sends concurrent requests to a server and records response
// times, whether equal requests get equal bytes, and the server's memory.
package crowd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Request is an HTTP request with the expected status of its response.
type Request struct {
	Path, Kind string // URL path and content type of the body
	Body       []byte
	Status     int
}

// Options configure the load. It ends after Requests or after Duration.
type Options struct {
	URL      string
	Token    string // "" for none
	Clients  int
	Requests int           // 0 for no limit
	Duration time.Duration // 0 for no limit
	Bodies   []Request     // sent in turn
	Every    time.Duration // interval between calls of OnReport
	OnReport func(*Report) // receives the report so far; nil if unused
}

// A Report holds the results.
type Report struct {
	Took     time.Duration
	Times    []time.Duration // response times, sorted
	Busy     int             // number of responses with status 429
	Failures []string        // descriptions of the first unexpected responses
	Failed   int             // number of unexpected responses
	Memory   Memory          // memory of the server, from /metrics
}

// mostFailures is the number of failures that a report describes.
const mostFailures = 20

// busyWait is the wait after a response with status 429.
const busyWait = 20 * time.Millisecond

// A run is one run of the load generator.
type run struct {
	Options
	client *http.Client
	begun  time.Time

	mu      sync.Mutex
	results Report
	answers [][]byte // the first valid response to each request
}

// Run sends requests until the load or ctx ends.
func Run(ctx context.Context, o Options) *Report {
	if o.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Duration)
		defer cancel()
	}
	r := &run{Options: o, begun: time.Now(), answers: make([][]byte, len(o.Bodies))}
	// Each client keeps its connection, as browsers do.
	r.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Clients,
		ExpectContinueTimeout: time.Minute}}
	defer r.client.CloseIdleConnections()
	var clients, reporter sync.WaitGroup
	var sent atomic.Int64
	for range o.Clients {
		clients.Go(func() {
			for ctx.Err() == nil {
				n := int(sent.Add(1))
				if o.Requests > 0 && n > o.Requests {
					return
				}
				r.send(ctx, (n-1)%len(o.Bodies))
			}
		})
	}
	done := make(chan struct{})
	if o.OnReport != nil {
		reporter.Go(func() { r.report(ctx, done) })
	}
	clients.Wait()
	close(done)
	reporter.Wait()
	out := r.snapshot()
	// Memory is measured after the load, when the server has returned to rest.
	out.Memory, _ = r.memory(context.WithoutCancel(ctx))
	return out
}

// snapshot returns a copy of the results so far, with sorted times.
func (r *run) snapshot() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.results
	out.Took = time.Since(r.begun)
	// Quantiles need sorted times.
	out.Times = slices.Sorted(slices.Values(r.results.Times))
	out.Failures = slices.Clone(r.results.Failures)
	return &out
}

// report calls OnReport at each interval until done is closed.
func (r *run) report(ctx context.Context, done <-chan struct{}) {
	ticker := time.NewTicker(r.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-done:
			return
		}
		report := r.snapshot()
		// A server without /metrics has no memory in the report.
		report.Memory, _ = r.memory(context.WithoutCancel(ctx))
		r.OnReport(report)
	}
}

// send sends request n until its response is not 429. The response time does not include the waits.
// Every response to the same request must have the same bytes.
func (r *run) send(ctx context.Context, n int) {
	q := r.Bodies[n]
	for ctx.Err() == nil {
		begun := time.Now()
		status, body, err := r.post(ctx, q)
		took := time.Since(begun)
		if err != nil {
			if ctx.Err() == nil {
				r.fail("request %d: %v", n, err)
			}
			return
		}
		if status == http.StatusTooManyRequests {
			r.mu.Lock()
			r.results.Busy++
			r.mu.Unlock()
			select {
			case <-time.After(busyWait):
			case <-ctx.Done():
			}
			continue
		}
		r.mu.Lock()
		// The first response is the reference for the others.
		first := r.answers[n]
		if first == nil {
			r.answers[n] = body
		}
		r.results.Times = append(r.results.Times, took)
		r.mu.Unlock()
		if status != q.Status {
			r.fail("request %d: status %d instead of %d: %.200s", n, status, q.Status, body)
		} else if status == http.StatusOK && first != nil && !bytes.Equal(first, body) {
			r.fail("request %d: the response differs from an earlier one: %.200s", n, body)
		}
		return
	}
}

// fail records an unexpected response.
func (r *run) fail(text string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.results.Failed++; len(r.results.Failures) < mostFailures {
		r.results.Failures = append(r.results.Failures, fmt.Sprintf(text, args...))
	}
}

// post sends a request and returns its response.
func (r *run) post(ctx context.Context, q Request) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+q.Path,
		bytes.NewReader(q.Body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", q.Kind)
	// A busy server does not read the body. Expect delays the body; otherwise the response could be
	// lost.
	request.Header.Set("Expect", "100-continue")
	return r.do(request)
}

// do sends a request with the token and reads the whole response.
func (r *run) do(request *http.Request) (status int, body []byte, err error) {
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// Rate returns the responses per second.
func (r *Report) Rate() float64 { return float64(len(r.Times)) / r.Took.Seconds() }

// Quantile returns the response time that the given share of the responses does not exceed.
func (r *Report) Quantile(share float64) time.Duration {
	if len(r.Times) == 0 {
		return 0
	}
	return r.Times[min(len(r.Times)-1, int(share*float64(len(r.Times))))]
}
