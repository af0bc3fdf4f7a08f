package host

import (
	"context"
	"errors"
	"io"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// Config holds the connections of a host to its environment.
type Config struct {
	Version string
	// Post sends a message. It must not use the bytes after it returns.
	Post func(message []byte)
	// Yield lets other tasks of the thread run if the last yield was long enough ago. Long
	// computations call it often. It is nil on platforms with threads.
	Yield func()
	// Device selects the device that encodes bags: "gpu" uses a graphics processor for everything
	// that it can compute, "auto" for what it computes faster, any other value the CPU. Programs
	// built without the tag gpu have no graphics processor.
	Device string
	// Part returns a file that JavaScript keeps, see wire.BagFile. whole reports whether all of the
	// file will be read into memory.
	Part func(number int, size int64, whole bool) io.ReaderAt
	// Room returns the bytes that the platform can still allocate, or is nil if there is no bound.
	Room func() int64
	// Expect is called before so many bytes are allocated together; it may be nil.
	Expect func(bytes int64)
	// Digest is onnxbackend.Options.Digest.
	Digest func(model []byte) ([32]byte, bool)
	// Workers is the number of goroutines of an explanation, 0 for one per processor.
	Workers int
	// System gives access to files. It is nil in browsers, where requests that name files fail.
	System System
	// Program is the one whose users read names of options and errors.
	Program ask.Program
}

// A Host holds the open models, sets and bags and the running requests. Its methods are safe for
// concurrent use.
type Host struct {
	config  Config
	handles handles
	bound   atomic.Pointer[binding] // nil if no bag is encoded

	mu      sync.Mutex
	pending map[uint32]context.CancelCauseFunc // requests that are running or waiting, by ID
	queue   []func()                           // long requests; the first one runs, the others wait
	pools   map[uint32]*workerPool             // worker pools of explanations, by ID
	tickets tickets                            // coalitions that functions of the client score
	retired []*retiredBlock                    // mapped memory that ends with the requests

	idle    chan func() // to the goroutine that waits for the next request
	waiting atomic.Bool // whether there is one
}

// New returns a host without open models and bags.
func New(c Config) *Host {
	return &Host{config: c, pending: map[uint32]context.CancelCauseFunc{},
		pools: map[uint32]*workerPool{}, idle: make(chan func())}
}

// start runs a request on the idle goroutine, or on a new one if none is idle. The stack of a new
// goroutine grows in steps, which copy it and take a tenth of a short explanation.
func (h *Host) start(request func()) {
	select {
	case h.idle <- request:
	default:
		go func() {
			for ; request != nil; request = h.next() {
				request()
			}
		}()
	}
}

// next waits for a request for this goroutine. It returns nil if another one waits already: one
// serves requests that come one after another, and more would stay for as long as the host.
func (h *Host) next() (request func()) {
	if !h.waiting.CompareAndSwap(false, true) {
		return nil
	}
	defer h.waiting.Store(false)
	return <-h.idle
}

// errCancelled is the cause of a context that a message Cancel ends.
var errCancelled = errors.New("the request was cancelled")

// Receive starts the request in a message and returns without waiting for it. The caller must not
// use the message afterwards.
func (h *Host) Receive(message []byte) {
	m, err := wire.Decode(message)
	if err != nil {
		h.send(m.ID, h.failure(err))
		return
	}
	switch r := m.Body.(type) { // these belong to a running request and must not wait behind it
	case wire.Cancel:
		h.cancel(r.Request)
		h.send(m.ID, wire.Done{})
		return
	case wire.TaskResult:
		h.taskResult(r)
		h.send(m.ID, wire.Done{})
		return
	case wire.BagScores:
		h.tickets.deliver(r)
		h.send(m.ID, wire.Done{})
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	h.mu.Lock()
	defer h.mu.Unlock()
	// The request can be cancelled while it waits.
	h.pending[m.ID] = cancel
	job := func() {
		defer h.done(m.ID)
		h.send(m.ID, h.answer(h.yielding(ctx), m))
	}
	if !h.queues(m.Body) {
		h.start(job)
		return
	}
	h.queue = append(h.queue, job)
	if len(h.queue) == 1 {
		h.start(h.drain)
	}
}

// queues reports whether a request waits in the queue. Those that a function of the client answers
// do not: the function may itself wait for another explanation. A few coalitions of the encoded bag
// do not either: they are the prediction of a bag that a user is changing.
func (h *Host) queues(body any) bool {
	if !handlers[reflect.TypeOf(body)].queued {
		return false
	}
	if r, ok := body.(wire.ScoreCoalitions); ok && r.Count <= fewCoalitions &&
		h.encoded(r.Model, r.Bag) {
		return false
	}
	_, err := find[*callable](&h.handles, modelOf(body), "model")
	return err != nil
}

// fewCoalitions is a number of coalitions that is evaluated in a moment.
const fewCoalitions = 8

// modelOf returns the handle of the model that a request names, or 0.
func modelOf(request any) int {
	v := reflect.ValueOf(request)
	if ask := v.FieldByName("Ask"); ask.IsValid() {
		v = ask
	}
	if model := v.FieldByName("Model"); model.IsValid() && model.CanInt() {
		return int(model.Int())
	}
	return 0
}

// drain runs the queue until it is empty. A job stays in the queue while it runs.
func (h *Host) drain() {
	for {
		h.mu.Lock()
		// The next request starts a new goroutine.
		if len(h.queue) == 0 {
			h.mu.Unlock()
			return
		}
		// The lock is not held while a job runs, because other requests arrive meanwhile.
		job := h.queue[0]
		h.mu.Unlock()
		job()
		h.mu.Lock()
		h.queue = h.queue[1:]
		h.mu.Unlock()
	}
}

// cancel ends the context of a request, whether it runs or waits.
func (h *Host) cancel(request int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel, ok := h.pending[uint32(request)]; ok {
		cancel(errCancelled)
	}
}

// done releases the context of a request that has ended.
func (h *Host) done(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end := h.pending[id]; end != nil { // nil if two requests have the same ID
		end(nil)
	}
	delete(h.pending, id)
	h.endBlocks(id)
}

// answer runs a request and returns the answer. A panic becomes a Failure, so that other requests
// continue.
func (h *Host) answer(ctx context.Context, m wire.Message) (body any) {
	defer func() {
		if p := recover(); p != nil {
			body = wire.Failure{
				Kind: kind.Internal,
				Message: msg.Sprintf("internal error of bagscope: %v; please report it with the "+
					"steps that led to it", p),
				Details: []core.Setting{{Name: "stack", Value: string(debug.Stack())}},
			}
		}
	}()
	// The request was cancelled while it waited.
	if err := ctx.Err(); err != nil {
		return h.failure(context.Cause(ctx))
	}
	body, err := h.serve(ctx, m)
	if err != nil {
		return h.failure(err)
	}
	return body
}

// send posts a message. If it cannot be encoded, send posts a Failure instead.
func (h *Host) send(id uint32, body any) {
	data, err := wire.Append(nil, wire.Message{ID: id, Body: body})
	if err != nil {
		// JavaScript would otherwise wait for the answer forever.
		data, err = wire.Append(nil, wire.Message{ID: id, Body: h.failure(err)})
	}
	if err == nil {
		h.config.Post(data)
	}
}
