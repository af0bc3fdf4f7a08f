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
// JavaScript starts. A task is a message Shared, its reply a message Hand.
type workerPool struct {
	host    *Host
	request uint32

	mu      sync.Mutex
	ticket  int
	waiting map[int]chan wire.Hand // by ticket
	lost    map[int]bool           // helpers that failed during this request
}

var errLost = errors.New("the helper failed")

// crew returns the helpers of a request, or nil if there are none.
func (h *Host) crew(id uint32, helpers int, eager bool) *onnxbackend.Helpers {
	if helpers <= 0 {
		return nil
	}
	c := &workerPool{host: h, request: id, waiting: map[int]chan wire.Hand{}, lost: map[int]bool{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pools[id] = c
	out := &onnxbackend.Helpers{Count: helpers, MinWork: shareFrom, Send: c.ask}
	if eager {
		out.MinWork = 0
	}
	return out
}

// disband removes the worker pool of a request that has ended.
func (h *Host) disband(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pools, id)
}

// hand delivers the reply of a helper. It drops the reply if the task was cancelled.
func (h *Host) hand(r wire.Hand) {
	h.mu.Lock()
	c := h.pools[uint32(r.Request)]
	h.mu.Unlock()
	if c == nil {
		return
	}
	if reply := c.take(r.Ticket); reply != nil {
		reply <- r
	}
}

// ask sends a task to a helper and returns the reply. It returns errLost if the helper failed, and
// the cause if ctx ends.
func (c *workerPool) ask(ctx context.Context, helper int, task []byte) ([]byte, error) {
	c.mu.Lock()
	if c.lost[helper] {
		c.mu.Unlock()
		return nil, errLost
	}
	c.ticket++
	ticket, reply := c.ticket, make(chan wire.Hand, 1)
	c.waiting[ticket] = reply
	c.mu.Unlock()
	c.host.send(c.request, wire.Shared{Ticket: ticket, Helper: helper, Task: task})
	select {
	case r := <-reply:
		if !r.Lost {
			return r.Reply, nil
		}
		c.mu.Lock()
		c.lost[helper] = true
		c.mu.Unlock()
		return nil, errLost
	case <-ctx.Done():
		c.take(ticket)
		c.host.send(c.request, wire.Unshared{Ticket: ticket})
		return nil, context.Cause(ctx)
	}
}

// take removes and returns the channel that waits for the reply to a ticket, or nil.
func (c *workerPool) take(ticket int) chan wire.Hand {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply := c.waiting[ticket]
	delete(c.waiting, ticket)
	return reply
}

// assist computes a task of another program's explanation.
func (h *Host) assist(ctx context.Context, r wire.Assist) (any, error) {
	m, err := h.model(r.Model)
	if err != nil {
		return nil, err
	}
	reply, err := m.RunTask(ctx, r.Task)
	if err != nil {
		return nil, err
	}
	return wire.Assisted{Reply: reply}, nil
}
