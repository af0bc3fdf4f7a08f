package host

import (
	"context"
	"errors"
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// shareFrom is the work, in multiplications, from which on it is shared. It takes about 0.1 s, the
// time to start a helper.
const shareFrom = 1 << 30

// A workerPool sends the tasks of a request to helpers: other programs in their own Workers, which
// JavaScript starts. A task is a message HelperTask, its reply a message TaskResult.
type workerPool struct {
	host    *Host
	request uint32

	mu      sync.Mutex
	ticket  int
	waiting map[int]chan wire.TaskResult // callers by ticket
	failed  map[int]bool                 // helpers that failed during this request
}

// errHelper makes the engine compute the task itself.
var errHelper = errors.New("the helper failed")

// helpers returns the helpers of a request, or nil if there are none. The caller must call
// closePool when the request ends.
func (h *Host) helpers(id uint32, count int, eager bool) *onnxbackend.Helpers {
	if count <= 0 {
		return nil
	}
	p := &workerPool{host: h, request: id, waiting: map[int]chan wire.TaskResult{},
		failed: map[int]bool{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pools[id] = p
	out := &onnxbackend.Helpers{Count: count, MinWork: shareFrom, Send: p.send}
	if eager {
		out.MinWork = 0
	}
	return out
}

// closePool removes the worker pool of a request that has ended.
func (h *Host) closePool(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pools, id)
}

// taskResult delivers the reply of a helper. It drops the reply if the task was cancelled.
func (h *Host) taskResult(r wire.TaskResult) {
	h.mu.Lock()
	p := h.pools[uint32(r.Request)]
	h.mu.Unlock()
	if p == nil {
		return
	}
	if reply := p.remove(r.Ticket); reply != nil {
		reply <- r
	}
}

// send sends a task to a helper and returns the reply. It returns errHelper if the helper failed,
// and the cause if ctx ends.
func (p *workerPool) send(ctx context.Context, helper int, task []byte) ([]byte, error) {
	p.mu.Lock()
	if p.failed[helper] {
		p.mu.Unlock()
		return nil, errHelper
	}
	p.ticket++
	// The channel has room for the reply, so that taskResult never blocks the thread.
	ticket, reply := p.ticket, make(chan wire.TaskResult, 1)
	p.waiting[ticket] = reply
	p.mu.Unlock()
	p.host.send(p.request, wire.HelperTask{Ticket: ticket, Helper: helper, Task: task})
	select {
	case r := <-reply:
		if !r.Failed {
			return r.Reply, nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.failed[helper] = true
		return nil, errHelper
	case <-ctx.Done():
		// A reply that arrives later is dropped.
		p.remove(ticket)
		p.host.send(p.request, wire.CancelTask{Ticket: ticket})
		return nil, context.Cause(ctx)
	}
}

// remove removes and returns the channel that waits for the reply to a ticket, or nil.
func (p *workerPool) remove(ticket int) chan wire.TaskResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	reply := p.waiting[ticket]
	delete(p.waiting, ticket)
	return reply
}

// runTask computes a task of another program's explanation.
func (h *Host) runTask(ctx context.Context, r wire.RunTask) (any, error) {
	m, err := find[interface {
		RunTask(ctx context.Context, task []byte) ([]byte, error)
	}](&h.handles, r.Model, "model")
	if err != nil {
		return nil, err
	}
	reply, err := m.RunTask(ctx, r.Task)
	return wire.TaskReply{Reply: reply}, err
}
