package server

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// reserveIn returns a function that reserves bytes in m for the store of jobs.
func reserveIn(m *quota.Memory, purpose string) jobs.Reserve {
	return func(bytes int64) error { return m.Reserve(bytes, purpose) }
}

// settled returns err or, if the request once found the memory held by others, that error: its
// result could depend on other requests.
func settled(ctx context.Context, err error) error {
	if busy := quota.MemoryOf(ctx).Busy(); busy != nil {
		return busy
	}
	return err
}

// busyWait returns how long a bag of a job waits for memory: different times for bags that wait for
// each other.
func busyWait() time.Duration { return retryAfter/2 + rand.N(retryAfter) }

// keptBytes is how much memory of ended requests the process may keep while it is idle. Beyond it
// the server returns free memory to the system; the runtime alone would keep it for minutes.
const keptBytes = 16 << 20

// idleBefore is how long the server is idle before it does.
const idleBefore = time.Second

// idle returns memory to the system when the server is idle.
type idle struct {
	mu    sync.Mutex
	timer *time.Timer
	bytes int64 // of requests that ended since memory was last returned
}

// closeMemory ends the memory of a request or job.
func (s *Server) closeMemory(m *quota.Memory) {
	peak := m.Peak()
	m.Close()
	s.idle.mu.Lock()
	defer s.idle.mu.Unlock()
	if s.idle.bytes += peak; s.idle.bytes > keptBytes {
		s.freeWhenIdle()
	}
}

// freeWhenIdle returns free memory to the system as soon as nothing is computed. The caller holds
// the lock of s.idle.
func (s *Server) freeWhenIdle() {
	if s.idle.timer != nil {
		s.idle.timer.Stop()
	}
	s.idle.timer = time.AfterFunc(idleBefore, func() {
		s.idle.mu.Lock()
		defer s.idle.mu.Unlock()
		if len(s.gate.inside) > 0 || s.gate.jobTurnsInUse() > 0 {
			s.freeWhenIdle()
			return
		}
		s.idle.bytes = 0
		runtime.GC() // pools keep what one collection has found
		debug.FreeOSMemory()
	})
}
