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
	"time"
)

// A Question is a request with the expected status of its response.
type Question struct {
	Path, Kind string // URL path and content type of the body
	Body       []byte
	Status     int
}

// Options configure the load. It ends after Requests or after Duration.
type Options struct {
	URL       string
	Token     string // "" for none
	Clients   int
	Requests  int           // 0 for no limit
	Duration  time.Duration // 0 for no limit
	Questions []Question    // sent in turn
	Every     time.Duration // interval between calls of Tell
	Tell      func(*Report) // receives the report so far; nil if unused
}

// A Report holds the results.
type Report struct {
	Took     time.Duration
	Times    []time.Duration // response times, sorted
	Again    int             // number of responses with status 429
	Failures []string        // descriptions of the first unexpected responses
	Failed   int             // number of unexpected responses
	Memory   Memory          // memory of the server, from /metrics
}

// mostFailures is the number of failures that a report describes.
const mostFailures = 20

// again is the wait after a response with status 429.
const again = 20 * time.Millisecond

// A run is one run of the load generator.
type run struct {
	Options
	client *http.Client
	begun  time.Time

	mu      sync.Mutex
	report  Report
	answers [][]byte // the first valid response to each question
}

// Run sends requests until the load or ctx ends.
func Run(ctx context.Context, o Options) *Report {
	if o.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Duration)
		defer cancel()
	}
	r := &run{Options: o, begun: time.Now(), answers: make([][]byte, len(o.Questions))}
	r.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Clients,
		ExpectContinueTimeout: time.Minute}}
	defer r.client.CloseIdleConnections()
	var clients, teller sync.WaitGroup
	next := make(chan int)
	for range o.Clients {
		clients.Go(func() {
			for n := range next {
				r.ask(ctx, n%len(o.Questions))
			}
		})
	}
	told := make(chan struct{})
	if o.Tell != nil {
		teller.Go(func() { r.tell(ctx, told) })
	}
feed:
	for n := 0; o.Requests == 0 || n < o.Requests; n++ {
		select {
		case next <- n:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	clients.Wait()
	close(told)
	teller.Wait()
	out := r.so()
	out.Memory, _ = r.memory(context.WithoutCancel(ctx))
	return out
}

// so returns a copy of the results so far.
func (r *run) so() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.report
	out.Took = time.Since(r.begun)
	out.Times = slices.Sorted(slices.Values(r.report.Times))
	out.Failures = slices.Clone(r.report.Failures)
	return &out
}

func (r *run) tell(ctx context.Context, over <-chan struct{}) {
	ticker := time.NewTicker(r.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-over:
			return
		}
		report := r.so()
		report.Memory, _ = r.memory(context.WithoutCancel(ctx))
		r.Tell(report)
	}
}

// ask sends a question until its response is not 429. The response time does not include the waits.
func (r *run) ask(ctx context.Context, n int) {
	q := r.Questions[n]
	for ctx.Err() == nil {
		begun := time.Now()
		status, body, err := r.post(ctx, q)
		took := time.Since(begun)
		if err != nil {
			if ctx.Err() == nil {
				r.fail("question %d: %v", n, err)
			}
			return
		}
		if status == http.StatusTooManyRequests {
			r.mu.Lock()
			r.report.Again++
			r.mu.Unlock()
			select {
			case <-time.After(again):
			case <-ctx.Done():
			}
			continue
		}
		r.mu.Lock()
		first := r.answers[n]
		if first == nil {
			r.answers[n] = body
		}
		r.report.Times = append(r.report.Times, took)
		r.mu.Unlock()
		if status != q.Status {
			r.fail("question %d: status %d, want %d: %.200s", n, status, q.Status, body)
		} else if status == http.StatusOK && first != nil && !bytes.Equal(first, body) {
			r.fail("question %d: the response differs from an earlier one: %.200s", n, body)
		}
		return
	}
}

func (r *run) fail(text string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report.Failed++; len(r.report.Failures) < mostFailures {
		r.report.Failures = append(r.report.Failures, fmt.Sprintf(text, args...))
	}
}

func (r *run) post(ctx context.Context, q Question) (status int, body []byte, err error) {
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
