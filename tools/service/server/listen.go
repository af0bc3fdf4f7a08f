package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Loopback reports whether an address to listen at, HOST:PORT, can be reached from this machine alone.
func Loopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, err
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// Times of a connection, whoever is at its other end.
const (
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 1 << 16
)

// Run answers on a listener until ctx ends; then it takes nothing new, and gives what is under way the time of drain
// before it is given up. With a certificate it speaks TLS. It works at the jobs of its store as long as it runs; bags that are
// not done when the last request is are left for the next server. It returns nil when it was stopped by ctx.
func (s *Server) Run(ctx context.Context, l net.Listener, certificate *tls.Certificate, drain time.Duration) error {
	base, giveUp := context.WithCancelCause(context.Background())
	defer giveUp(errStopping)
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	work, stopWork := context.WithCancelCause(base)
	taking, takeNoMore := context.WithCancelCause(work)
	defer takeNoMore(errStopping)
	s.workJobs(taking, work)
	defer s.work.Wait()
	defer stopWork(errStopping)
	failed := make(chan error, 1)
	go func() {
		if certificate != nil {
			h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
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
	s.stopping.Store(true)
	close(s.stopped)
	takeNoMore(errStopping)
	s.Log.Info("stopping", "inside", len(s.gate.inside))
	wait, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := h.Shutdown(wait)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	// Whoever still waits is told so, which takes no longer than work takes to stop.
	giveUp(errStopping)
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if h.Shutdown(last) != nil {
		return h.Close()
	}
	return nil
}
