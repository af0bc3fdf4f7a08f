package server

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/query"
)

// A source holds the keys that select a bag in the uploaded files.
type source struct {
	query.Cut
	Index int    `json:"index"` // index of the bag in a set of bags, from 0
	Name  string `json:"name"`  // name of the bag if its file has none; default the file name
}

// The requests of /v1/explain and /v1/predict.
type (
	explainRequest struct {
		source
		query.Settings
	}
	predictRequest struct {
		source
		Output *string `json:"output"`
	}
)

// explain handles POST /v1/explain.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	u, err := s.receive(w, r)
	if err != nil {
		return err
	}
	var q explainRequest
	if err := u.parse(&q); err != nil {
		return err
	}
	s.limits.bound(&q.Settings)
	plan, err := q.Plan()
	if err != nil {
		return err
	}
	return s.respond(w, r, func(ctx context.Context, begin func() progress) (any, error) {
		in, err := s.open(u, q.source)
		if err != nil {
			return nil, err
		}
		x, err := plan.Explain(ctx, in, begin())
		if err != nil {
			return nil, err
		}
		return x.JSON(), nil
	})
}

// predict handles POST /v1/predict.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) error {
	u, err := s.receive(w, r)
	if err != nil {
		return err
	}
	var q predictRequest
	if err := u.parse(&q); err != nil {
		return err
	}
	return s.respond(w, r, func(ctx context.Context, begin func() progress) (any, error) {
		in, err := s.open(u, q.source)
		if err != nil {
			return nil, err
		}
		begin()
		return query.Predict(ctx, in, q.Output)
	})
}

// respond waits for a turn and sends the result of work as one JSON object or, to a client that
// accepts events, after progress events. work calls begin after it has read the input, so that
// errors in the input have their own status.
func (s *Server) respond(
	w http.ResponseWriter, r *http.Request, work func(ctx context.Context,
		begin func() progress) (any, error),
) error {
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.Deadline, errDeadline)
	defer cancel()
	return s.gate.work(ctx, func() error {
		e := &events{server: s, w: w}
		defer e.end()
		begin := func() progress { return nil }
		if acceptsEvents(r) {
			begin = e.begin
		}
		v, err := work(ctx, begin)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return e.fail(err)
		}
		data, err := encode(v)
		if err != nil {
			return e.fail(err)
		}
		if e.begun {
			e.result(data)
			return nil
		}
		return s.send(w, "application/json", data)
	})
}

func acceptsEvents(r *http.Request) bool {
	for _, accept := range r.Header.Values("Accept") {
		if strings.Contains(accept, eventStream) {
			return true
		}
	}
	return false
}

// encode returns the JSON of a result, with the same bytes as the command line prints with --json.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := query.WriteJSON(&b, v)
	return b.Bytes(), err
}

// open opens the model and reads one bag for it.
func (s *Server) open(u *upload, from source) (*query.Input, error) {
	m, err := s.model(u)
	if err != nil {
		return nil, err
	}
	o := from.Options(m)
	o.Name, o.Limits = from.Name, s.limits.bags()
	set, err := bagio.ReadFiles(u.bags, o)
	if err != nil {
		return nil, err
	}
	bag, err := set.Bag(from.Index)
	return &query.Input{Engine: m, Set: set, Index: from.Index, Bag: bag}, err
}

func (s *Server) model(u *upload) (query.Engine, error) {
	if u.model.Name == "" {
		one, err := s.Models.find(u.name)
		if err != nil {
			return nil, err
		}
		return one.open()
	}
	return onnxbackend.Open(u.model.Data, onnxbackend.Options{
		Name: u.model.Name, Card: u.card, External: onnxbackend.ExternalFiles(u.external),
		Limits: s.limits.models(), Workers: s.limits.Workers,
		Device: s.Processor.Device, DeviceAlways: s.Processor.Always,
	})
}
