package host

import (
	"context"
	"errors"
	"sync"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// shareFrom is the work, in multiplications, from which on it is shared: about what runs here while a
// helper starts, a tenth of a second.
const shareFrom = 1 << 30

// A crew asks JavaScript for helpers: other programs, each in a Worker of its own. What it asks for goes out
// as Shared and comes back as Hand.
type crew struct {
	host    *Host
	request uint32

	mu      sync.Mutex
	ticket  int
	waiting map[int]chan wire.Hand // by ticket
	lost    map[int]bool           // helpers that failed during this request
}

var errLost = errors.New("the helper is lost")

// crew returns the helpers of a request, nil when there are none.
func (h *Host) crew(id uint32, helpers int, eager bool) *onnxbackend.Helpers {
	if helpers <= 0 {
		return nil
	}
	c := &crew{host: h, request: id, waiting: map[int]chan wire.Hand{}, lost: map[int]bool{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.crews[id] = c
	out := &onnxbackend.Helpers{Count: helpers, MinWork: shareFrom, Ask: c.ask}
	if eager {
		out.MinWork = 0
	}
	return out
}

func (h *Host) disband(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.crews, id)
}

// hand passes on what a helper replied, if anyone still waits for it.
func (h *Host) hand(r wire.Hand) {
	h.mu.Lock()
	c := h.crews[uint32(r.Request)]
	h.mu.Unlock()
	if c == nil {
		return
	}
	if reply := c.take(r.Ticket); reply != nil {
		reply <- r
	}
}

// ask has a helper do a task.
func (c *crew) ask(ctx context.Context, helper int, task []byte) ([]byte, error) {
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

// take returns where the reply to a ticket is waited for, once.
func (c *crew) take(ticket int) chan wire.Hand {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply := c.waiting[ticket]
	delete(c.waiting, ticket)
	return reply
}

// assist does a task of another program's crew.
func (h *Host) assist(ctx context.Context, r wire.Assist) (any, error) {
	m, err := h.model(r.Model)
	if err != nil {
		return nil, err
	}
	reply, err := m.Assist(ctx, r.Task)
	if err != nil {
		return nil, err
	}
	return wire.Assisted{Reply: reply}, nil
}
