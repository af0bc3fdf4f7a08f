package server

import (
	_ "embed"
	"io"
	"net/http"
	"time"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// A route is a method and a path with their handler.
type route struct {
	method, path string
	open         bool // no token is needed, for probes and browsers
	gated        bool // the route computes and needs a place in the queue
	answer       func(w http.ResponseWriter, r *http.Request) error
}

// routes returns all routes except those of the site. The OpenAPI document describes each of them.
func (s *Server) routes() []route {
	list := []route{
		{method: "POST", path: "/v1/explain", gated: true, answer: s.explain},
		{method: "POST", path: "/v1/predict", gated: true, answer: s.predict},
		{method: "POST", path: "/v1/jobs", gated: true, answer: s.withJobs(s.addJob)},
		{method: "GET", path: "/v1/jobs", answer: s.withJobs(s.listJobs)},
		{method: "GET", path: "/v1/jobs/{id}", answer: s.withJobs(s.showJob)},
		{method: "DELETE", path: "/v1/jobs/{id}", answer: s.withJobs(s.endJob)},
		{method: "GET", path: "/v1/jobs/{id}/results", answer: s.withJobs(s.jobResults)},
		{method: "GET", path: "/v1/models", answer: s.listModels},
		{method: "GET", path: "/v1/methods", answer: s.listMethods},
		{method: "GET", path: "/v1/openapi.json", open: true, answer: s.describe},
		{method: "GET", path: "/v2", open: true, answer: s.serverMetadata},
		{method: "GET", path: "/v2/health/live", open: true, answer: s.protocolLive},
		{method: "GET", path: "/v2/health/ready", open: true, answer: s.protocolReady},
		{method: "GET", path: "/v2/models/{name}", answer: s.modelMetadata},
		{method: "GET", path: "/v2/models/{name}/ready", answer: s.modelReady},
		{method: "POST", path: "/v2/models/{name}/infer", gated: true, answer: s.infer},
		{method: "GET", path: "/v2/models/{name}/versions/{version}", answer: s.modelMetadata},
		{method: "GET", path: "/v2/models/{name}/versions/{version}/ready", answer: s.modelReady},
		{method: "POST", path: "/v2/models/{name}/versions/{version}/infer", gated: true,
			answer: s.infer},
		{method: "GET", path: "/healthz", open: true, answer: s.alive},
		{method: "GET", path: "/readyz", open: true, answer: s.ready},
		{method: "GET", path: "/metrics", answer: s.measure},
	}
	for _, w := range ask.WhatIfs() {
		list = append(list,
			route{method: "POST", path: "/v1/" + w.Name, gated: true, answer: s.whatIf(w)})
	}
	return list
}

// description is the OpenAPI document. A test compares it with the table of routes.
//
//go:embed openapi.json
var description []byte

// describe handles GET /v1/openapi.json.
func (s *Server) describe(w http.ResponseWriter, _ *http.Request) error {
	return s.send(w, "application/json", description)
}

// listModels handles GET /v1/models.
func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, s.Models.list())
}

// listMethods handles GET /v1/methods.
func (s *Server) listMethods(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, ask.Methods())
}

// alive handles GET /healthz. It also responds while the server stops.
func (s *Server) alive(w http.ResponseWriter, _ *http.Request) error {
	return s.send(w, "text/plain; charset=utf-8", []byte("ok\n"))
}

// ready handles GET /readyz. It fails while the server drains and stops, so that load balancers
// send no more requests.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.draining.Load() {
		return asProblem(errStopping)
	}
	return s.alive(w, r)
}

// measure handles GET /metrics.
func (s *Server) measure(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.metrics.text()
	if err != nil {
		return err
	}
	return s.send(w, "text/plain; version=0.0.4; charset=utf-8", text)
}

// send writes a complete response. It disconnects a client that does not read it in time.
func (s *Server) send(w http.ResponseWriter, kind string, data []byte) error {
	return s.sendStatus(w, http.StatusOK, kind, data)
}

// sendStatus is send with a status.
func (s *Server) sendStatus(w http.ResponseWriter, status int, kind string, data []byte) error {
	w.Header().Set("Content-Type", kind)
	s.extendWriteDeadline(w)
	w.WriteHeader(status)
	// A write error means that the client has disconnected, so it is not reported.
	_, _ = w.Write(data)
	return nil
}

// extendWriteDeadline starts the time limit for the next write.
func (s *Server) extendWriteDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.limits.Upload))
}

// sendJSON writes v as JSON, with the same bytes as the command line.
func (s *Server) sendJSON(w http.ResponseWriter, v any) error {
	return s.stream(w, "application/json", func(w io.Writer) error {
		return jsontext.Write(w, v)
	})
}

// stream sends what write writes. The status is sent with the first byte, so that an error before
// it has its own.
func (s *Server) stream(w http.ResponseWriter, kind string, write func(io.Writer) error) error {
	w.Header().Set("Content-Type", kind)
	s.extendWriteDeadline(w)
	return write(deaf{w})
}

// A deaf writer ignores errors: they mean that the client has disconnected.
type deaf struct{ io.Writer }

// Write implements io.Writer.
func (w deaf) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}
