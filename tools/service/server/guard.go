package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
)

// recorder records the status and size of a response.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	id     string
	route  string
	kind   string // kind of the problem, or ""
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader records the first status. Further calls have no effect on the response.
func (w *recorder) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the response.
func (w *recorder) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// statusDisconnected is the logged status of a request whose client disconnected before the
// response. Status 400 is sent instead, because 499 is not registered.
const statusDisconnected = 499

// guard wraps all routes. It gives each request an id and a line in the log, turns panics into
// responses, and rejects foreign hosts and origins.
func (s *Server) guard(next http.Handler) (http.Handler, error) {
	// A page of another origin must not use a server on the visitor's machine.
	cross := http.NewCrossOriginProtection()
	for _, origin := range s.Origins {
		if err := cross.AddTrustedOrigin(origin); err != nil {
			return nil, &core.SettingError{Setting: "allow-origin", Reason: err.Error()}
		}
	}
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &recorder{ResponseWriter: plain, id: newID(), route: "other"}
		begun := time.Now()
		// Only connections in tests do not support deadlines.
		_ = http.NewResponseController(w).SetReadDeadline(begun.Add(s.limits.Upload))
		defer s.logRequest(w, r, begun) // also after a panic
		defer func() {
			if p := recover(); p == http.ErrAbortHandler {
				panic(p)
			} else if p != nil {
				s.Log.Error("panic", "id", w.id, "stack", string(debug.Stack()))
				s.refuse(w, r, problem("internal", internalRequest))
			}
		}()
		if origin := r.Header.Get("Origin"); origin != "" && slices.Contains(s.Origins, origin) {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers",
				"Inference-Header-Content-Length, Location, Retry-After")
			if r.Method == http.MethodOptions &&
				r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers",
					"Authorization, Content-Type, Accept, Inference-Header-Content-Length")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		if s.draining.Load() {
			// The client's next request needs a new connection, which a load balancer gives to
			// another server.
			w.Header().Set("Connection", "close")
		}
		host := hostName(r)
		own, certified := ownName(host), s.certified(host)
		if certified && !own {
			w.Header().Set("Strict-Transport-Security", strictTransport)
		}
		if s.Tokens == nil && !own && !certified && !s.allowed(host) &&
			!slices.Contains(probes, r.URL.Path) {
			s.refuse(w, r, problem("host", "without tokens the server accepts only localhost, IP "+
				"addresses and the names of its certificate in the header Host, to prevent DNS "+
				"rebinding; add another name with --allow-host"))
			return
		}
		if cross.Check(r) != nil {
			s.refuse(w, r, problem("origin",
				"requests from this origin are not allowed; add it with --allow-origin"))
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// route returns the handler of a route, with access control, admission and error responses.
func (s *Server) route(t route) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := plain.(*recorder)
		if t.path != "" {
			w.route = t.path
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		// A browser that shows a response must not run anything in it.
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if !t.open && s.Tokens != nil && !s.Tokens.allow(r) {
			h.Set("WWW-Authenticate", "Bearer")
			s.refuse(w, r, problem("token",
				"a token is required; send it in the header Authorization: Bearer TOKEN"))
			return
		}
		if !t.open {
			defer working(r)()
		}
		if t.gated {
			if s.stopping.Load() {
				s.refuse(w, r, errStopping)
				return
			}
			// A request that would find no place is rejected before its body is read.
			if s.gate.full() {
				s.refuse(w, r, s.errQueueFull())
				return
			}
		}
		if t.gated {
			m := s.limits.part()
			defer s.closeMemory(m)
			r = r.WithContext(quota.WithMemory(r.Context(), m))
		}
		if err := t.answer(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// refuse sends a problem, unless the client has disconnected.
func (s *Server) refuse(w *recorder, r *http.Request, err error) {
	p := asProblem(err)
	// The context also ends if a connection was silent for too long, but then the client can still
	// read.
	gone := r.Context().Err() != nil && p.Kind != "slow" && p.Kind != "stopping"
	if gone {
		// A client that has closed only its side can read the response. Without a response it
		// would read the status 200 and an empty body.
		err, p = nil, problem("request", "the client disconnected before the response")
		defer func() { w.status, w.kind = statusDisconnected, "disconnected" }()
	}
	// The id is the same in the response and in the log.
	w.kind, p.Instance = p.Kind, "urn:bagscope:request:"+w.id
	if p.Kind == "internal" || p.Kind == "damaged" {
		s.Log.Error("failure", "id", w.id, "error", err.Error())
	}
	var t *streamError
	if errors.As(err, &t) {
		t.events.send("error", p.encode())
		return
	}
	if w.status != 0 {
		return // part of a response was sent; its length shows that it is incomplete
	}
	kind := "application/problem+json"
	if strings.HasPrefix(r.URL.Path, "/v2") {
		kind, p.ProtocolError = "application/json", p.Detail
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	if p.Kind == "memory-busy" {
		h.Set("Retry-After", "1")
	}
	if p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusRequestTimeout {
		h.Set("Connection", "close") // do not wait for the rest of the body
	}
	if p.Kind == "busy" {
		h.Set("Retry-After", "1")
	}
	s.extendWriteDeadline(w)
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.encode())
}

// logRequest logs a request. The line contains nothing that the client sent, not even the URL,
// which may contain the name of a model.
func (s *Server) logRequest(w *recorder, r *http.Request, begun time.Time) {
	duration := time.Since(begun)
	w.status = cmp.Or(w.status, http.StatusOK)
	s.metrics.observe(w.route, w.status, duration)
	s.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request",
		slog.String("id", w.id), slog.String("method", method(r)), slog.String("route", w.route),
		slog.Int("status", w.status),
		slog.String("kind", w.kind), slog.Int64("sent", w.bytes), slog.Duration("took", duration))
}

// method returns the HTTP method for the log, or a fixed word for methods that are not standard.
func method(r *http.Request) string {
	if slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost,
		http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPatch}, r.Method) {
		return r.Method
	}
	return "other"
}

// newID returns an id of 16 random hexadecimal digits.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never returns an error: it crashes the program instead
	return hex.EncodeToString(b[:])
}
