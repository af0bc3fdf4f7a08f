// Package crowd asks a server many questions at a time and notes how long each answer takes, whether equal questions get
// equal bytes, and what the server's memory does meanwhile.
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

// A Question is a request with the status that its answer must have.
type Question struct {
	Path, Kind string // the address, and the type of the body
	Body       []byte
	Status     int
}

// Options say how a server is asked. It ends after so many requests, or after a time, whichever is given.
type Options struct {
	URL       string
	Token     string // "" for none
	Clients   int
	Requests  int           // 0 for no end
	Duration  time.Duration // 0 for no end
	Questions []Question    // asked in turn
	Every     time.Duration // how often Tell is called
	Tell      func(*Report) // what was found so far, or nil
}

// A Report is what was found.
type Report struct {
	Took     time.Duration
	Times    []time.Duration // of the answers, sorted
	Again    int             // times that a client was told to come again
	Failures []string        // answers that nothing explains, the first of them
	Failed   int             // how many
	Memory   Memory          // of the server, as it says
}

// mostFailures is how many failures a report describes.
const mostFailures = 20

// again is how long a client waits that was told to come again.
const again = 20 * time.Millisecond

// A run is a crowd that asks.
type run struct {
	Options
	client *http.Client
	begun  time.Time

	mu      sync.Mutex
	report  Report
	answers [][]byte // the first good one to each question
}

// Run asks until it is over, or ctx ends.
func Run(ctx context.Context, o Options) *Report {
	if o.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Duration)
		defer cancel()
	}
	r := &run{Options: o, begun: time.Now(), answers: make([][]byte, len(o.Questions))}
	r.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Clients, ExpectContinueTimeout: time.Minute}}
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

// so returns a copy of what was found so far.
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

// ask asks until it is answered: the wait of a client that was told to come again is no part of the answer's time.
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
			r.fail("question %d: the answer is another than before: %.200s", n, body)
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
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+q.Path, bytes.NewReader(q.Body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", q.Kind)
	// A server that has no time for a body does not read it: it is sent once it is wanted, or the refusal is lost in what is sent.
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

// Rate is how many answers came in a second.
func (r *Report) Rate() float64 { return float64(len(r.Times)) / r.Took.Seconds() }

// Quantile returns the time that a share of the answers did not pass.
func (r *Report) Quantile(share float64) time.Duration {
	if len(r.Times) == 0 {
		return 0
	}
	return r.Times[min(len(r.Times)-1, int(share*float64(len(r.Times))))]
}
