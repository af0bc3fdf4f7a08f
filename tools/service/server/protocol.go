package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/service/oip"
	"github.com/bagscope/bagscope/tools/service/query"
)

// This file implements the Open Inference Protocol, version 2 (KServe's "predict protocol",
// Triton's HTTP API), with the extension of binary tensors. A bag is the one input of the model,
// with the instances along its open axis. The outputs are those of the graph. Errors are problems
// with the message in the key "error".

// platform is the name of the engine in metadata.
const platform = "onnx_bagscope"

// modelVersion is the only version of every model.
const modelVersion = "1"

type (
	liveness struct {
		Live bool `json:"live"`
	}
	readiness struct {
		Ready bool `json:"ready"`
	}
	modelReadiness struct {
		Name  string `json:"name"`
		Ready bool   `json:"ready"`
	}
)

func (s *Server) serverMetadata(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, oip.Server{Name: "bagscope", Version: s.Version,
		Extensions: []string{oip.BinaryExtension}})
}

func (s *Server) protocolLive(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, liveness{true})
}

func (s *Server) protocolReady(w http.ResponseWriter, _ *http.Request) error {
	if s.stopping.Load() {
		return errStopping
	}
	return s.sendJSON(w, readiness{true})
}

// named returns the model in the path of a request.
func (s *Server) named(r *http.Request) (*registered, error) {
	if v := r.PathValue("version"); v != "" && v != modelVersion {
		return nil, problem("unknown", "this server has only version %s of every model",
			modelVersion)
	}
	return s.Models.find(r.PathValue("name"))
}

func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	return s.sendJSON(w, modelReadiness{m.name, true})
}

func (s *Server) modelMetadata(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	info := m.engine.Info()
	card, err := json.Marshal(query.CardOf(info, m.engine.Card()))
	if err != nil {
		return err
	}
	return s.sendJSON(w, oip.Metadata{
		Name: m.name, Versions: []string{modelVersion}, Platform: platform,
		Inputs: tensorsOf(info.Inputs), Outputs: tensorsOf(info.Outputs),
		Parameters: &oip.MetadataParameters{Card: card},
	})
}

func tensorsOf(infos []core.TensorInfo) []oip.Port {
	out := []oip.Port{}
	for _, i := range infos {
		shape := slices.Clone(i.Shape)
		for n, side := range shape {
			shape[n] = max(side, -1)
		}
		if shape == nil {
			shape = []int{-1}
		}
		out = append(out, oip.Port{Name: i.Name, Datatype: oip.Datatype(i.Type), Shape: shape})
	}
	return out
}

// infer handles POST /v2/models/NAME/infer.
func (s *Server) infer(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	q, err := s.receiveInference(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.Deadline, errDeadline)
	defer cancel()
	return s.gate.work(ctx, func() error {
		if err := q.parse(); err != nil {
			return err
		}
		engine, err := m.open()
		if err != nil {
			return err
		}
		bag, err := q.bag(engine.Info(), s.limits)
		if err != nil {
			return err
		}
		p, err := engine.Predict(ctx, bag)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return err
		}
		head, tensors, err := q.answer(m.name, p)
		if err != nil {
			return err
		}
		return s.sendInference(w, head, tensors)
	})
}

// answer returns the requested outputs, or all outputs if the request names none, each in its
// requested encoding.
func (q *inferRequest) answer(
	model string, p *onnxbackend.Prediction,
) (*oip.Response, [][]byte, error) {
	out := &oip.Response{Model: model, Version: modelVersion, ID: q.ID, Outputs: []oip.Tensor{}}
	var tensors [][]byte
	add := func(o onnxbackend.Output, binary bool) error {
		t, data, err := oip.Write(o, binary)
		if err != nil {
			return err
		}
		out.Outputs = append(out.Outputs, t)
		if binary {
			tensors = append(tensors, data)
		}
		return nil
	}
	if len(q.Outputs) == 0 {
		for _, o := range p.Outputs {
			if err := add(o, q.Parameters.BinaryOutput); err != nil {
				return nil, nil, err
			}
		}
		return out, tensors, nil
	}
	for _, want := range q.Outputs {
		at := slices.IndexFunc(p.Outputs, func(o onnxbackend.Output) bool {
			return o.Name == want.Name
		})
		if at < 0 {
			return nil, nil, problem("request", "the model has no output %q", want.Name)
		}
		binary := q.Parameters.BinaryOutput
		if b := want.Parameters.Binary; b != nil {
			binary = *b
		}
		if err := add(p.Outputs[at], binary); err != nil {
			return nil, nil, err
		}
	}
	return out, tensors, nil
}
