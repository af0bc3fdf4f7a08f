package host

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A client sends requests to a host and sorts the answers by request.
type client struct {
	t    *testing.T
	host *Host

	mu      sync.Mutex
	id      uint32
	inboxes map[uint32]chan any
}

// patience is the time that a test waits for a message before it fails.
const patience = 2 * time.Minute

func newClient(t *testing.T, yield func()) *client {
	c := &client{t: t, inboxes: map[uint32]chan any{}}
	c.host = New(Config{Version: "1.2.3", Yield: yield, Post: func(message []byte) {
		m, err := wire.Decode(append([]byte(nil), message...))
		if err != nil {
			t.Errorf("the host sent what cannot be read: %v", err)
			return
		}
		c.inbox(m.ID) <- m.Body
	}})
	return c
}

func (c *client) inbox(id uint32) chan any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inboxes[id] == nil {
		c.inboxes[id] = make(chan any, 1000)
	}
	return c.inboxes[id]
}

// send sends a request and returns its ID.
func (c *client) send(body any) uint32 {
	c.t.Helper()
	c.mu.Lock()
	c.id++
	id := c.id
	c.mu.Unlock()
	data := must.Get(wire.Append(nil, wire.Message{ID: id, Body: body}))(c.t)
	c.host.Receive(data)
	return id
}

// next returns the next message about a request.
func (c *client) next(id uint32) any {
	c.t.Helper()
	select {
	case body := <-c.inbox(id):
		return body
	case <-time.After(patience):
		c.t.Fatalf("no answer to request %d", id)
		return nil
	}
}

// wait returns the answer to a request and ignores progress.
func (c *client) wait(id uint32) any {
	c.t.Helper()
	for {
		body := c.next(id)
		if _, progress := body.(wire.Progress); !progress {
			return body
		}
	}
}

func (c *client) ask(body any) any {
	c.t.Helper()
	return c.wait(c.send(body))
}

// get sends a request and expects an answer of type T.
func get[T any](c *client, body any) T {
	c.t.Helper()
	answer := c.ask(body)
	got, ok := answer.(T)
	if !ok {
		c.t.Fatalf("%T was answered with %+v", body, answer)
	}
	return got
}

// fails sends a request and expects a failure of a kind.
func (c *client) fails(kind string, body any) wire.Failure {
	c.t.Helper()
	f := get[wire.Failure](c, body)
	if f.Kind != kind || f.Message == "" {
		c.t.Errorf("%T failed as %q (%s), want %q", body, f.Kind, f.Message, kind)
	}
	return f
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("..", "parity", "testdata", name)))(t)
}

// openTiny opens the tiny model and its bag of 24 instances.
func (c *client) openTiny() (model, bag int) {
	c.t.Helper()
	m := get[wire.ModelOpened](c, wire.OpenModel{Name: "tiny", Bytes: testdata(c.t, "tiny.onnx")})
	s := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "tiny.csv",
		Bytes: testdata(c.t, "tiny.csv")}}, Model: m.Handle})
	b := get[wire.BagOpened](c, wire.OpenBag{Set: s.Handle, Index: 3})
	return m.Handle, b.Handle
}
