package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestCrowd: 64 clients with mixed requests get answers, the same for the same question, or are told to come again, and
// nothing of them stays.
func TestCrowd(t *testing.T) {
	requests := 2000
	if testing.Short() {
		requests = 200
	}
	models, err := OpenModels(digits, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, url, stop, ended := running(t, Options{Models: models, Limits: Limits{Concurrency: 2, Queue: 40}}, time.Minute)
	type question struct {
		path, kind string
		body       []byte
		status     int
	}
	var questions []question
	ask := func(path string, status int, parts ...part) {
		body, kind := form(t, parts...)
		questions = append(questions, question{path, kind, body, status})
	}
	upload := part{"model", "m.onnx", load(t, digitModel)}
	for index := range 6 {
		p := digitParts(t, fmt.Sprintf(`{"index":%d}`, index))
		ask("/v1/predict", 200, p...)
		ask("/v1/explain", 200, p...)
		ask("/v1/explain", 200, upload, p[1], p[2])
	}
	ask("/v1/explain", 200, digitParts(t, `{"methods":["all"],"samples":100,"settings":"mnist"}`)...)
	ask("/v1/explain", 400, digitParts(t, `{"index":9}`)...)
	ask("/v1/predict", 422, part{"model", "m.onnx", []byte("no model")}, part{"bag", "b.npz", load(t, digitBags)})

	before := runtime.NumGoroutine()
	var (
		mu      sync.Mutex
		times   []time.Duration
		again   int
		answers = make([][]byte, len(questions))
		clients sync.WaitGroup
		client  = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		next    = make(chan int)
		begun   = time.Now()
	)
	for range 64 {
		clients.Go(func() {
			for n := range next {
				q := questions[n%len(questions)]
				for {
					asked := time.Now()
					response, err := client.Post(url+q.path, q.kind, bytes.NewReader(q.body))
					if err != nil {
						t.Error(err)
						return
					}
					body, err := io.ReadAll(response.Body)
					response.Body.Close()
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if response.StatusCode == http.StatusTooManyRequests {
						again++
						mu.Unlock()
						time.Sleep(20 * time.Millisecond)
						continue
					}
					times = append(times, time.Since(asked))
					first := answers[n%len(questions)]
					answers[n%len(questions)] = body
					mu.Unlock()
					if response.StatusCode != q.status || q.status == 200 && first != nil && !bytes.Equal(first, body) {
						t.Errorf("question %d: status %d, %.200s", n%len(questions), response.StatusCode, body)
					}
					break
				}
			}
		})
	}
	for n := range requests {
		next <- n
	}
	close(next)
	clients.Wait()
	slices.Sort(times)
	took := time.Since(begun)
	if len(times) != requests {
		t.Fatalf("%d of %d requests were answered", len(times), requests)
	}
	t.Logf("%d requests in %v, %.0f a second, median %v, p99 %v; %d times the queue was full", requests, took.Round(time.Millisecond),
		float64(requests)/took.Seconds(), times[requests/2].Round(time.Millisecond), times[requests*99/100].Round(time.Millisecond), again)
	client.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	until(t, "all is as before", func() bool { return runtime.NumGoroutine() <= before })
}
