package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// A source holds the keys that select a bag in the uploaded files.
type source struct {
	ask.ReadOptions
	ask.Tiling
	Index int    `json:"index"` // index of the bag in a set of bags, from 0
	Name  string `json:"name"`  // name of the bag if its file has none; default the file name
	compared
	Mean string `json:"mean"` // what the scores of several models are the mean of, a core.Mean
}

// The requests of /v1/explain and /v1/predict.
type (
	// explainRequest is the part request of /v1/explain.
	explainRequest struct {
		source
		ask.Settings
		// Colours is the palette of an answer in GeoJSON or DICOM, as in draw.Options.
		Colours string `json:"colours"`
		// DICOM is the form of an answer in DICOM: "seg", the default, or "sr", see dicomout.Write.
		DICOM string `json:"dicom"`
		// Top is the most instances of a structured report in DICOM, 0 for all that stand out.
		Top int `json:"top"`
	}
	// predictRequest is the part request of /v1/predict. Output is prob or logit; default prob.
	predictRequest struct {
		source
		Output *string `json:"output"`
	}
)

// explain handles POST /v1/explain. The settings are validated before the request waits for its
// turn.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	var q explainRequest
	u, err := s.receiveRequest(w, r, &q)
	defer u.close()
	if err != nil {
		return err
	}
	s.limits.bound(&q.Settings)
	plan, err := q.Plan()
	if err != nil {
		return err
	}
	form, err := q.form(r)
	if err != nil {
		return err
	}
	return s.respond(w, r, func(ctx context.Context, e *events) (any, error) {
		in, err := s.open(ctx, u, q.source)
		if err != nil {
			return nil, err
		}
		// A bag that has no such file is reported before it is explained.
		if err := form.check(in.Bag); err != nil {
			return nil, err
		}
		plan.Slow = e.note
		x, err := plan.Explain(ctx, in, e.begin())
		if err != nil {
			return nil, err
		}
		return form.answer(x), nil
	})
}

// predict handles POST /v1/predict.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) error {
	var q predictRequest
	u, err := s.receiveRequest(w, r, &q)
	defer u.close()
	if err != nil {
		return err
	}
	return s.respond(w, r, func(ctx context.Context, e *events) (any, error) {
		in, err := s.open(ctx, u, q.source)
		if err != nil {
			return nil, err
		}
		e.begin()
		return ask.Predict(ctx, in, q.Output)
	})
}

// receiveRequest reads a multipart request about one bag, with its part request decoded into the
// structs to which to points.
func (s *Server) receiveRequest(
	w http.ResponseWriter, r *http.Request, to ...any,
) (*upload, error) {
	u, err := s.receiveParts(w, r, false)
	if err == nil && u.seen["concepts"] && !slices.ContainsFunc(to, func(options any) bool {
		_, ok := options.(*ask.GroupsOptions)
		return ok
	}) {
		err = conceptsElsewhere()
	}
	if err != nil || len(u.request) == 0 {
		return u, err
	}
	return u, parseJSON(u.memory, u.request, to...)
}

// conceptsElsewhere is the error of a part with concepts that would have no effect.
func conceptsElsewhere() error {
	return problem("request", "the part concepts belongs to /v1/groups")
}

// An attachment is a result that respond sends as it is.
type attachment struct {
	kind  string                // content type
	write func(io.Writer) error // fails before it writes, or if the writer does
}

// respond waits for a turn and sends the result of work: an attachment as it is, anything else as
// one JSON object or, to a client that accepts events, after progress events. work calls begin
// after it has read the input, so that errors in the input have their own status.
func (s *Server) respond(
	w http.ResponseWriter, r *http.Request,
	work func(ctx context.Context, e *events) (any, error),
) error {
	e := &events{server: s, w: w, wanted: acceptsEvents(r)}
	defer e.end()
	err := s.compute(r, func(ctx context.Context) error {
		v, err := work(ctx, e)
		if err = settled(ctx, err); err != nil {
			return err
		}
		if d, ok := v.(attachment); ok {
			return s.stream(w, d.kind, d.write)
		}
		if err := reserveEncoding(quota.MemoryOf(ctx), v); err != nil {
			return err
		}
		if e.begun {
			return e.result(v)
		}
		return s.sendJSON(w, v)
	})
	if err != nil {
		return e.fail(err)
	}
	return nil
}

// compute takes a place, waits for a turn and calls work, within the time limit of a request. The
// body must have been received, so that places do not wait for clients. If the context has ended,
// it returns the cause instead of the error of work: a time limit is more helpful than the place
// where the work stopped.
func (s *Server) compute(r *http.Request, work func(ctx context.Context) error) error {
	if !s.gate.enter() {
		return s.errQueueFull()
	}
	defer s.gate.leave()
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.Deadline, errDeadline)
	defer cancel()
	return withCause(ctx, s.gate.work(ctx, func() error { return work(ctx) }))
}

// errQueueFull returns the problem of a request that finds no place.
func (s *Server) errQueueFull() error {
	return problem("busy", "the queue is full: %d requests are computed and %d wait; try again "+
		"later", s.limits.Concurrency, s.limits.Queue)
}

// withCause returns the cause of a context that has ended in place of err, or err if it is nil.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// acceptsEvents reports whether the client requests a stream of events.
func acceptsEvents(r *http.Request) bool { return accepts(r, eventStream) }

// accepts reports whether the client requests a content type.
func accepts(r *http.Request, kind string) bool {
	return slices.ContainsFunc(r.Header.Values("Accept"),
		func(accept string) bool { return strings.Contains(accept, kind) })
}

// reserveEncoding reserves what sending v as JSON takes.
func reserveEncoding(m *quota.Memory, v any) error {
	return m.Reserve(jsontext.EncodingBytes(v), "the JSON of the result")
}

// encode returns the JSON of a result, with the same bytes as the command line prints with --json.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := jsontext.Write(&b, v)
	return b.Bytes(), err
}

// open opens the model and reads one bag for it.
func (s *Server) open(ctx context.Context, u *upload, from source) (*ask.Input, error) {
	m, err := s.engine(u, &from, onnxbackend.Randomize{})
	if err != nil {
		return nil, err
	}
	// The cut of the request overrides that of the model card.
	o := from.Options(m)
	o.Name, o.Limits = from.Name, s.limits.bags(u.memory)
	files, file, err := s.bagsOf(u)
	if err != nil {
		return nil, err
	}
	u.below = file
	o.Slide = s.slideReader(quota.WithMemory(ctx, u.memory), m, from,
		slideFiles{beside: s.beside(file)})
	set, err := bagio.ReadFiles(files, o)
	if err != nil {
		return nil, err
	}
	in, err := ask.NewInput(ctx, m, set, from.Index)
	if _, remote := m.(*oip.Model); err == nil && !remote {
		in.Randomised = func(_ context.Context, r onnxbackend.Randomize) (core.Model, error) {
			return s.engine(u, &from, r)
		}
	}
	return in, err
}

// engine opens the models of an upload toward the target of its request, several as one. Some of
// their weights are shuffled if r says so.
func (s *Server) engine(
	u *upload, from *source, r onnxbackend.Randomize,
) (ask.Engine, error) {
	names := u.names
	switch {
	case u.model.Name == "":
	case len(names) > 0:
		return nil, problem("request", "the part model is a file and a name; send one file, or "+
			"names of registered models")
	default:
		names = []string{u.model.Name}
	}
	var list []ask.Engine
	for _, name := range names {
		m, err := s.model(u, name, r)
		if err == nil {
			m, err = from.toward(m)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return ask.NewEnsemble(list, from.Mean)
}

// model returns a registered model, or opens the one that an upload contains. A model from a client
// has the limits of the server; its external tensors are the uploaded files.
func (s *Server) model(u *upload, name string, r onnxbackend.Randomize) (ask.Engine, error) {
	if u.model.Name != "" {
		return s.sent(u, r)
	}
	one, err := s.Models.find(name)
	if err != nil {
		return nil, err
	}
	if r.Layers == 0 {
		return one.open(u.memory)
	}
	return one.reopen(u.memory, r)
}

// sent opens the model that an upload contains.
func (s *Server) sent(u *upload, r onnxbackend.Randomize) (ask.Engine, error) {
	return onnxbackend.Open(u.model.Data, onnxbackend.Options{
		Name: u.model.Name, Card: u.card, External: onnxbackend.ExternalFiles(u.external),
		Limits: s.limits.models(u.memory), Workers: s.limits.Workers,
		Device: s.Processor.Device, DeviceAlways: s.Processor.Always, Randomize: r,
	})
}
