package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// eventStream is the content type of server-sent events. A client requests it by the header Accept.
const eventStream = "text/event-stream"

// progressEvery is the interval between progress events.
const progressEvery = 100 * time.Millisecond

// progress receives the progress of the work. It never waits for the client.
type progress func(done, total int)

// events is a stream of server-sent events: progress events and notes, then one result or error.
//
//	event: progress     data: {"done":64,"total":231}
//	event: note         data: "This takes up to about 5 min: ...", if the work will take long
//	event: result       data: the result, one line of JSON
//	event: error        data: the problem, one line of JSON
type events struct {
	server  *Server
	w       http.ResponseWriter
	wanted  bool           // the client accepts a stream
	begun   bool           // the head of the stream was sent
	stop    chan struct{}  // closed to end the progress events
	sending sync.WaitGroup // the goroutine that sends progress events
	ended   bool

	mu          sync.Mutex
	done, total int    // the current state of the work
	noted       string // a note that is not sent yet, or ""
}

// begin sends the head of the stream and starts to send progress events. It returns nil if the
// client wants none.
func (e *events) begin() progress {
	if !e.wanted {
		return nil
	}
	h := e.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // otherwise proxies delay progress events
	e.begun, e.stop = true, make(chan struct{})
	e.send("", nil)
	e.sending.Go(e.sendProgress)
	// The work only stores its state, so that a slow client does not slow it down.
	return func(done, total int) {
		e.mu.Lock()
		e.done, e.total = done, total
		e.mu.Unlock()
	}
}

// note sends a note, without waiting for the client.
func (e *events) note(sentence string) {
	e.mu.Lock()
	e.noted = sentence
	e.mu.Unlock()
}

// sendProgress sends progress events and notes until the stream ends. It omits an event if nothing
// has changed.
func (e *events) sendProgress() {
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
		e.sendNote()
		if done != last {
			last = done
			e.send("progress", fmt.Appendf(nil, `{"done":%d,"total":%d}`, done, total))
		}
	}
}

// sendNote sends the note that is not sent yet.
func (e *events) sendNote() {
	e.mu.Lock()
	noted := e.noted
	e.noted = ""
	e.mu.Unlock()
	if noted != "" {
		text, _ := json.Marshal(noted) // a string cannot fail
		e.send("note", text)
	}
}

// send writes an event or, without a name, a comment that keeps the connection alive.
func (e *events) send(name string, data []byte) {
	e.server.extendWriteDeadline(e.w)
	line := ": bagscope\n\n"
	if name != "" {
		line = fmt.Sprintf("event: %s\ndata: %s\n\n", name, bytes.TrimRight(data, "\n"))
	}
	// A write error means that the client has disconnected, so it is not reported.
	_, _ = e.w.Write([]byte(line))
	_ = http.NewResponseController(e.w).Flush()
}

// end stops the progress events. It can be called again.
func (e *events) end() {
	if e.begun && !e.ended {
		e.ended = true
		close(e.stop)
		e.sending.Wait()
		e.sendNote()
	}
}

// result ends the progress events and sends the result. If it cannot be encoded, it sends nothing.
func (e *events) result(v any) error {
	e.end()
	// Send at least one progress event, and the final state last.
	if e.total > 0 {
		e.send("progress", fmt.Appendf(nil, `{"done":%d,"total":%d}`, e.done, e.total))
	}
	e.server.extendWriteDeadline(e.w)
	// A line of JSON ends an event with the line after it.
	if err := jsontext.Write(&headed{deaf{e.w}, "event: result\ndata: "}, v); err != nil {
		return err
	}
	_, _ = e.w.Write([]byte("\n"))
	_ = http.NewResponseController(e.w).Flush()
	return nil
}

// A headed writer writes a head before the first bytes.
type headed struct {
	io.Writer
	head string
}

// Write implements io.Writer.
func (w *headed) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, w.head); err != nil {
		return 0, err
	}
	w.head = ""
	return w.Writer.Write(p)
}

// fail returns an error. If a stream has begun, it sends the error as the last event.
func (e *events) fail(err error) error {
	e.end()
	if e.begun {
		return &streamError{err, e}
	}
	return err
}

// A streamError is an error that must be sent as an event, because the status of the response was
// sent before.
type streamError struct {
	error
	events *events
}

// Unwrap returns the error.
func (t *streamError) Unwrap() error { return t.error }
