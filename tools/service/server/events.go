package server

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const eventStream = "text/event-stream"

// progressEvery is how often progress is told.
const progressEvery = 100 * time.Millisecond

// progress is told how far the work is. It never waits for the client.
type progress func(done, total int)

// events is a stream of server-sent events: progress, and then one result or error.
//
//	event: progress     data: {"done":64,"total":231}
//	event: result       data: the answer, in one line
//	event: error        data: the problem, in one line
type events struct {
	server *Server
	w      http.ResponseWriter
	begun  bool
	stop   chan struct{}
	told   sync.WaitGroup
	ended  bool

	mu          sync.Mutex
	done, total int
}

// begin sends the head of the stream, and from then on the progress that it is told.
func (e *events) begin() progress {
	h := e.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // proxies would hold progress back
	e.begun, e.stop = true, make(chan struct{})
	e.send("", nil)
	e.told.Go(e.tell)
	return func(done, total int) {
		e.mu.Lock()
		e.done, e.total = done, total
		e.mu.Unlock()
	}
}

// tell sends progress where there is some.
func (e *events) tell() {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	last := 0
	for {
		select {
		case <-e.stop:
			return
		case <-ticker.C:
		}
		e.mu.Lock()
		done, total := e.done, e.total
		e.mu.Unlock()
		if done != last {
			last = done
			e.send("progress", fmt.Appendf(nil, `{"done":%d,"total":%d}`, done, total))
		}
	}
}

// send writes an event, or with no name a comment, which shows that the stream is there.
func (e *events) send(name string, data []byte) {
	e.server.patience(e.w)
	line := ": bagscope\n\n"
	if name != "" {
		line = fmt.Sprintf("event: %s\ndata: %s\n\n", name, bytes.TrimRight(data, "\n"))
	}
	// There is nobody to tell of a failure but the one that has left.
	_, _ = e.w.Write([]byte(line))
	_ = http.NewResponseController(e.w).Flush()
}

// end stops telling of progress. It may be called again.
func (e *events) end() {
	if e.begun && !e.ended {
		e.ended = true
		close(e.stop)
		e.told.Wait()
	}
}

func (e *events) result(data []byte) {
	e.end()
	// How far it came is told once at least, and last of all that it is done.
	if e.total > 0 {
		e.send("progress", fmt.Appendf(nil, `{"done":%d,"total":%d}`, e.done, e.total))
	}
	e.send("result", data)
}

// fail hands an error on, which becomes the stream's last event where there is a stream.
func (e *events) fail(err error) error {
	e.end()
	if e.begun {
		return &told{err, e}
	}
	return err
}

// A told error is sent as an event, because the status of the answer has gone out.
type told struct {
	error
	events *events
}

func (t *told) Unwrap() error { return t.error }
