package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	id     string
	route  string
	kind   string // of the problem, or ""
}

// Unwrap lets http.ResponseController find the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// left is the status in the log of an answer that its client did not wait for.
const left = 499

// guard stands before all routes: it gives each request an id and a line in the log, turns panics into answers, and
// refuses whom the server is not for.
func (s *Server) guard(next http.Handler) (http.Handler, error) {
	cross := http.NewCrossOriginProtection()
	for _, origin := range s.Origins {
		if err := cross.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &recorder{ResponseWriter: plain, id: newID(), route: "other"}
		begun := time.Now()
		// A connection that knows no deadline is a test's.
		_ = http.NewResponseController(w).SetReadDeadline(begun.Add(s.limits.Upload))
		defer s.note(w, r, begun)
		defer func() {
			if p := recover(); p == http.ErrAbortHandler {
				panic(p)
			} else if p != nil {
				s.Log.Error("panic", "id", w.id, "stack", string(debug.Stack()))
				s.refuse(w, r, problem("internal", "the server failed; its log has more under the id of this request"))
			}
		}()
		if origin := r.Header.Get("Origin"); origin != "" && slices.Contains(s.Origins, origin) {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", "Inference-Header-Content-Length, Location, Retry-After")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Inference-Header-Content-Length")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		if s.Tokens == nil && !ownName(r) {
			s.refuse(w, r, problem("host", "without tokens the server answers to localhost and to addresses alone, so that no name of another's can lead a browser here"))
			return
		}
		if cross.Check(r) != nil {
			s.refuse(w, r, problem("origin", "a page of another site asks; --allow-origin names those that may"))
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// ownName reports whether a request is addressed to localhost or to a number, as a page that has had its name pointed at
// this machine cannot address one.
func ownName(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil
}

// route makes the handler of a route: who may come in, how many at a time, and what becomes of an error.
func (s *Server) route(t route) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := plain.(*recorder)
		if t.path != "" {
			w.route = t.path
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if !t.open && s.Tokens != nil && !s.Tokens.allow(r) {
			h.Set("WWW-Authenticate", "Bearer")
			s.refuse(w, r, problem("token", "the header Authorization: Bearer with a token of this server is needed"))
			return
		}
		if t.gated {
			if s.stopping.Load() {
				s.refuse(w, r, errStopping)
				return
			}
			if !s.gate.enter() {
				h.Set("Retry-After", "1")
				s.refuse(w, r, problem("busy", "%d requests are computed and %d wait, and no more may; ask again later", s.limits.Concurrency, s.limits.Queue))
				return
			}
			defer s.gate.leave()
		}
		if err := t.answer(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// refuse answers with a problem, unless the client has left.
func (s *Server) refuse(w *recorder, r *http.Request, err error) {
	p := asProblem(err)
	// A connection that has been silent for too long ends the context too, and is still there to be told.
	if r.Context().Err() != nil && p.Kind != "slow" && p.Kind != "stopping" {
		w.status, w.kind = left, "left"
		return
	}
	w.kind, p.Instance = p.Kind, "urn:bagscope:request:"+w.id
	if p.Kind == "internal" {
		s.Log.Error("failure", "id", w.id, "error", err.Error())
	}
	var t *told
	if errors.As(err, &t) {
		t.events.send("error", p.encode())
		return
	}
	if w.status != 0 {
		return // half an answer has gone out, and its length will tell that it is no whole one
	}
	kind := "application/problem+json"
	if strings.HasPrefix(r.URL.Path, "/v2") {
		kind, p.Again = "application/json", p.Detail
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	if p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusRequestTimeout {
		h.Set("Connection", "close") // the rest of the body is not waited for
	}
	s.patience(w)
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.encode())
}

// note writes the line of a request: nothing of what was sent, not even its address, which may name a model.
func (s *Server) note(w *recorder, r *http.Request, begun time.Time) {
	took := time.Since(begun)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	s.metrics.observe(w.route, w.status, took)
	s.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request",
		slog.String("id", w.id), slog.String("method", method(r)), slog.String("route", w.route), slog.Int("status", w.status),
		slog.String("kind", w.kind), slog.Int64("sent", w.bytes), slog.Duration("took", took))
}

// method is a word that the log knows: a client may make up any.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPatch:
		return r.Method
	}
	return "other"
}

// newID returns 16 random hexadecimal digits.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails: it ends the program instead
	return hex.EncodeToString(b[:])
}
