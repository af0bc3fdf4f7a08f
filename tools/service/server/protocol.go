package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// This file implements the Open Inference Protocol, version 2 (KServe's "predict protocol",
// Triton's HTTP API), with the extension of binary tensors. A bag is the one input of the model,
// with the instances along its open axis. The outputs are those of the graph. Errors are problems
// with the message in the key "error".

// platform is the name of the engine in metadata.
const platform = "onnx_bagscope"

// modelVersion is the only version of every model.
const modelVersion = "1"

// The responses of the health routes.
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

// serverMetadata handles GET /v2.
func (s *Server) serverMetadata(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, oip.Server{Name: "bagscope", Version: s.Version,
		Extensions: []string{oip.BinaryExtension}})
}

// protocolLive handles GET /v2/health/live.
func (s *Server) protocolLive(w http.ResponseWriter, _ *http.Request) error {
	return s.sendJSON(w, liveness{true})
}

// protocolReady handles GET /v2/health/ready, as ready does.
func (s *Server) protocolReady(w http.ResponseWriter, _ *http.Request) error {
	if s.draining.Load() {
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

// modelReady handles GET /v2/models/NAME/ready. All models are open from the start.
func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	return s.sendJSON(w, modelReadiness{m.name, true})
}

// modelMetadata handles GET /v2/models/NAME. The card completes the metadata, because the protocol
// has no keys for classes and scales.
func (s *Server) modelMetadata(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	// The card is completed with what the engine has determined, such as the names of classes.
	info := m.engine.Info()
	card, err := json.Marshal(ask.CardOf(info, m.engine.Card()))
	if err != nil {
		return err
	}
	return s.sendJSON(w, oip.Metadata{
		Name: m.name, Versions: []string{modelVersion}, Platform: platform,
		Inputs: tensorsOf(info.Inputs), Outputs: tensorsOf(info.Outputs),
		Parameters: &oip.MetadataParameters{Card: card},
	})
}

// tensorsOf returns inputs or outputs in the form of the protocol, where every open dimension is
// -1. A tensor of unknown shape has one open dimension.
func tensorsOf(infos []core.TensorInfo) []oip.Port {
	return ask.ListOf(infos, func(i core.TensorInfo) oip.Port {
		shape := []int{-1}
		if i.Shape != nil {
			shape = ask.ListOf(i.Shape, func(side int) int { return max(side, -1) })
		}
		return oip.Port{Name: i.Name, Datatype: oip.Datatype(i.Type), Shape: shape}
	})
}

// infer handles POST /v2/models/NAME/infer.
func (s *Server) infer(w http.ResponseWriter, r *http.Request) error {
	m, err := s.named(r)
	if err != nil {
		return err
	}
	// The body is read before the request waits for its turn, and decoded after it.
	q, err := s.receiveInference(w, r)
	if err != nil {
		return err
	}
	return s.compute(r, func(ctx context.Context) error {
		if err := q.parse(ctx); err != nil {
			return err
		}
		engine, err := m.open(quota.MemoryOf(ctx))
		if err != nil {
			return err
		}
		bag, err := q.bag(ctx, engine.Info(), s.limits)
		if err != nil {
			return err
		}
		p, err := engine.Predict(ctx, bag)
		if err = settled(ctx, err); err != nil {
			return err
		}
		head, tensors, err := q.answer(m.name, p)
		if err != nil {
			return err
		}
		if err := reserveEncoding(quota.MemoryOf(ctx), head); err != nil {
			return err
		}
		return s.sendInference(w, head, tensors)
	})
}

// answer returns the requested outputs, or all outputs if the request names none, each in its
// requested encoding. The second result holds the binary tensors in the order of the outputs.
func (q *inferRequest) answer(
	model string, p *onnxbackend.Prediction,
) (*oip.Response, [][]byte, error) {
	out := &oip.Response{Model: model, Version: modelVersion, ID: q.ID, Outputs: []oip.Tensor{}}
	var tensors [][]byte
	requested := q.Outputs
	if len(requested) == 0 {
		requested = ask.ListOf(p.Outputs, func(o onnxbackend.Output) oip.OutputRequest {
			return oip.OutputRequest{Name: o.Name}
		})
	}
	for _, r := range requested {
		at := slices.IndexFunc(p.Outputs,
			func(o onnxbackend.Output) bool { return o.Name == r.Name })
		if at < 0 {
			return nil, nil, problem("request", "the model has no output %q", r.Name)
		}
		binary := q.Parameters.BinaryOutput
		if b := r.Parameters.Binary; b != nil {
			binary = *b
		}
		t, data, err := oip.Write(p.Outputs[at], binary)
		if err != nil {
			return nil, nil, err
		}
		out.Outputs = append(out.Outputs, t)
		if binary {
			tensors = append(tensors, data)
		}
	}
	return out, tensors, nil
}
