package server

import (
	"net/http"
	"sync"

	"github.com/bagscope/bagscope/core/quota"
)

const (
	// maxWatching is the number of requests that can watch jobs or fetch results at a time. Each of
	// them holds resultBytes of memory until its client has read them.
	maxWatching = 256
	// maxWatchingEach is the share of one client, so that it cannot keep the others from watching.
	maxWatchingEach = 64
)

// watchers counts the requests that watch jobs or fetch results. Its zero value is ready.
type watchers struct {
	mu    sync.Mutex
	total int
	of    map[string]int // requests of each client
}

// enter takes a place for a client. It returns a problem if none is free, or the client has its
// share.
func (w *watchers) enter(client string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.total >= maxWatching:
		return problem("busy", "%d requests already watch jobs or fetch results; try again later",
			maxWatching)
	case w.of[client] >= maxWatchingEach:
		return problem("busy", "%d requests of this client already watch jobs or fetch results; "+
			"end some of them", maxWatchingEach)
	}
	if w.of == nil {
		w.of = map[string]int{}
	}
	w.of[client]++
	w.total++
	return nil
}

// leave frees a place of a client.
func (w *watchers) leave(client string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total--
	if w.of[client]--; w.of[client] == 0 {
		delete(w.of, client)
	}
}

// count returns the number of taken places.
func (w *watchers) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total
}

// watch takes a place for a request that watches, with memory of its own. The caller must call
// done.
func (s *Server) watch(r *http.Request) (m *quota.Memory, done func(), err error) {
	client := s.client(r)
	if err := s.watching.enter(client); err != nil {
		return nil, nil, err
	}
	m = s.limits.part()
	return m, func() { s.closeMemory(m); s.watching.leave(client) }, nil
}
