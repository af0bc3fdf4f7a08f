// Package host answers the messages of wasm/wire with the core. It knows nothing of JavaScript: what
// it sends goes through a function, and where others must get a turn it calls another, so that all
// of it is tested natively.
//
//	bytes ── Receive ──► a job of its own, or the queue of explanations ──► answer ── post ──► bytes
//
// Models, sets and bags stay on this side, under handles. Explanations, judgements, plans, and tasks for other programs, run one after
// another; every other request is answered as it comes, between two breaths of an explanation.
package host

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/wasm/wire"
)

// Config is what a host needs from around it.
type Config struct {
	Version string
	// Post sends a message. It must be done with the bytes when it returns.
	Post func(message []byte)
	// Breathe lets everything else on the thread have its turn, when its last turn is long enough
	// ago. It is called often from long computations. Nil where threads are many.
	Breathe func()
	// Device says what encodes bags: "gpu" is a graphics processor for all that it can compute, "auto"
	// is one for what it computes faster, anything else is the CPU. Programs built without the tag gpu
	// have no graphics processor.
	Device string
	// Digest is onnxbackend.Options.Digest.
	Digest func(model []byte) ([32]byte, bool)
}

// A Host holds what is open. Its methods are safe for concurrent use.
type Host struct {
	config  Config
	handles handles
	bound   atomic.Pointer[binding] // nil when no bag is encoded

	mu      sync.Mutex
	pending map[uint32]context.CancelCauseFunc // requests that are running or waiting, by ID
	queue   []func()                           // long requests that wait; the first one runs
	crews   map[uint32]*crew                   // of explanations that share work, by ID
}

// New returns a host with nothing open.
func New(c Config) *Host {
	return &Host{config: c, pending: map[uint32]context.CancelCauseFunc{}, crews: map[uint32]*crew{}}
}

// errCancelled is the cause of contexts that a Cancel message ends.
var errCancelled = errors.New("the request was cancelled")

// Receive starts what a message asks for and returns without waiting for it. The message belongs to
// the host from then on.
func (h *Host) Receive(message []byte) {
	m, err := wire.Decode(message)
	if err != nil {
		h.send(m.ID, failure(err))
		return
	}
	if c, ok := m.Body.(wire.Cancel); ok {
		h.cancel(c.Request)
		h.send(m.ID, wire.Done{})
		return
	}
	if r, ok := m.Body.(wire.Hand); ok {
		h.hand(r)
		h.send(m.ID, wire.Done{})
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending[m.ID] = cancel
	job := func() {
		defer h.done(m.ID)
		h.send(m.ID, h.answer(h.breathing(ctx), m))
	}
	switch m.Body.(type) {
	case wire.Explain, wire.Judge, wire.Plan, wire.Assist:
	default:
		go job()
		return
	}
	h.queue = append(h.queue, job)
	if len(h.queue) == 1 {
		go h.drain()
	}
}

// drain runs the queue until it is empty. A job leaves the queue when it has run.
func (h *Host) drain() {
	for {
		h.mu.Lock()
		if len(h.queue) == 0 {
			h.mu.Unlock()
			return
		}
		job := h.queue[0]
		h.mu.Unlock()
		job()
		h.mu.Lock()
		h.queue = h.queue[1:]
		h.mu.Unlock()
	}
}

func (h *Host) cancel(request int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel, ok := h.pending[uint32(request)]; ok {
		cancel(errCancelled)
	}
}

func (h *Host) done(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end := h.pending[id]; end != nil { // nil when two requests came under one ID
		end(nil)
	}
	delete(h.pending, id)
}

// answer does what a message asks for and returns the answer. A panic becomes a Failure: whatever one
// request ran into, the others go on.
func (h *Host) answer(ctx context.Context, m wire.Message) (body any) {
	defer func() {
		if p := recover(); p != nil {
			body = wire.Failure{
				Kind:    kindInternal,
				Message: fmt.Sprintf("internal error of bagscope: %v; please report it with the steps that led to it", p),
				Details: []wire.Setting{{Name: "stack", Value: string(debug.Stack())}},
			}
		}
	}()
	if err := ctx.Err(); err != nil {
		return failure(context.Cause(ctx))
	}
	body, err := h.serve(ctx, m)
	if err != nil {
		return failure(err)
	}
	return body
}

func (h *Host) serve(ctx context.Context, m wire.Message) (any, error) {
	switch b := m.Body.(type) {
	case wire.Hello:
		return h.welcome(), nil
	case wire.OpenModel:
		return h.openModel(b)
	case wire.ReadBags:
		return h.readBags(b)
	case wire.TakeBag:
		return h.takeBag(b)
	case wire.SelectInstances:
		return h.selectInstances(b)
	case wire.GetValues:
		return h.values(b)
	case wire.Plan:
		return h.plan(ctx, b)
	case wire.Predict:
		return h.predict(ctx, m.ID, b)
	case wire.Explain:
		return h.explain(ctx, m.ID, b)
	case wire.Judge:
		return h.judge(ctx, m.ID, b)
	case wire.Assist:
		return h.assist(ctx, b)
	case wire.Draw:
		return h.draw(b)
	case wire.EncodePNG:
		return encodePNG(b)
	case wire.Release:
		h.handles.release(b.Handle)
		h.unbind(b.Handle)
		return wire.Done{}, nil
	}
	return nil, fmt.Errorf("%T is not a request", m.Body)
}

// send posts a message. One that the wire cannot carry is replaced by the failure to send it.
func (h *Host) send(id uint32, body any) {
	data, err := wire.Append(nil, wire.Message{ID: id, Body: body})
	if err != nil {
		data, err = wire.Append(nil, wire.Message{ID: id, Body: failure(err)})
	}
	if err == nil {
		h.config.Post(data)
	}
}
