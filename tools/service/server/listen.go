package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Loopback reports whether only this machine can reach a listen address HOST:PORT.
func Loopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, err
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// headerBytes is the most bytes of the header of a request. Every connection can hold as many
// before its client has shown a token.
const headerBytes = 16 << 10

// connectionTimes are the time limits of a connection.
type connectionTimes struct {
	header, idle time.Duration
	last         time.Duration // for responses of cancelled work; a busy machine takes over 1 s
}

var defaultTimes = connectionTimes{header: 10 * time.Second, idle: 2 * time.Minute,
	last: 5 * time.Second}

// Run serves a listener by HTTP/1.1 until ctx ends, with a Certificate by TLS. After DrainDelay it
// accepts no new requests, and cancels running requests after the time drain. While it runs, it
// computes the jobs of its store. The next server computes the bags that are unfinished when the
// last request ends. Run returns nil if ctx stopped it.
func (s *Server) Run(ctx context.Context, l net.Listener, drain time.Duration) error {
	// The context of requests is independent of ctx, so that they can finish after ctx has ended.
	base, giveUp := context.WithCancelCause(context.Background())
	defer giveUp(errStopping)
	// No client needs HTTP/2, whose connections have more state that a client can attack.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	// Requests have a context that ends when the server gives up running work.
	h := &http.Server{
		Handler: s, Protocols: &protocols, MaxHeaderBytes: headerBytes,
		ReadHeaderTimeout: s.times.header, IdleTimeout: s.times.idle,
		BaseContext: func(net.Listener) context.Context { return base },
		ConnContext: withConnection,
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	// Jobs stop in two steps: no new bags when the server begins to stop, and no running bags at
	// the end.
	work, stopWork := context.WithCancelCause(base)
	taking, takeNoMore := context.WithCancelCause(work)
	defer takeNoMore(errStopping)
	s.workJobs(taking, work)
	defer s.work.Wait()
	defer stopWork(errStopping)
	l = &boundListener{l, &s.connections}
	failed := make(chan error, 1)
	go func() {
		if s.Certificate != nil {
			h.TLSConfig = s.tlsConfig()
			failed <- h.ServeTLS(l, "", "")
			return
		}
		failed <- h.Serve(l)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	takeNoMore(errStopping)
	s.Log.Info("stopping", "inside", len(s.gate.inside), "delay", s.DrainDelay)
	select {
	case err := <-failed:
		return err
	case <-s.after(s.DrainDelay):
	}
	s.stopping.Store(true)
	close(s.stopped)
	wait, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	// Shutdown waits for running requests up to the time drain.
	err := h.Shutdown(wait)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	// Requests that still wait get a response. This takes no longer than it takes to stop the work.
	giveUp(errStopping)
	last, cancel := context.WithTimeout(context.Background(), s.times.last)
	defer cancel()
	if h.Shutdown(last) != nil {
		return h.Close()
	}
	return nil
}
