package server

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bagscope/bagscope/core"
)

// receiveInto reads r to its end into memory that it reserves in m as the bytes arrive.
func receiveInto(m *core.Memory, r io.Reader) ([]byte, error) {
	const purpose = "the body of the request"
	size := int64(4 << 10)
	if err := m.Reserve(size, purpose); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) < cap(out) {
			continue
		}
		if err := m.Reserve(2*size, purpose); err != nil {
			return nil, err
		}
		out = append(make([]byte, 0, 2*size), out...)
		m.Release(size)
		size *= 2
	}
}

// settled returns err or, if the request once found the memory held by others, that error: its
// result could depend on other requests.
func settled(ctx context.Context, err error) error {
	if busy := core.MemoryOf(ctx).Busy(); busy != nil {
		return busy
	}
	return err
}

// busyWait returns how long a bag of a job waits for memory: different times for bags that wait for
// each other.
func busyWait() time.Duration { return retryAfter/2 + rand.N(retryAfter) }

// largePeak is the memory of a request, in bytes, after which the server returns free memory to the
// system. The runtime alone would keep it for minutes.
const largePeak = 64 << 20

// idleBefore is how long the server is idle before it does.
const idleBefore = time.Second

// idle returns memory to the system when the server is idle.
type idle struct {
	mu    sync.Mutex
	timer *time.Timer
}

// closeMemory ends the memory of a request or job.
func (s *Server) closeMemory(m *core.Memory) {
	large := m.Peak() > largePeak
	m.Close()
	if large {
		s.freeWhenIdle()
	}
}

// freeWhenIdle returns free memory to the system as soon as nothing is computed.
func (s *Server) freeWhenIdle() {
	s.idle.mu.Lock()
	defer s.idle.mu.Unlock()
	if s.idle.timer != nil {
		s.idle.timer.Stop()
	}
	s.idle.timer = time.AfterFunc(idleBefore, func() {
		if len(s.gate.inside) > 0 || s.gate.jobTurnsInUse() > 0 {
			s.freeWhenIdle()
			return
		}
		runtime.GC() // pools keep what one collection has found
		debug.FreeOSMemory()
	})
}
