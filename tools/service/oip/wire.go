package oip

import (
	"encoding/json"

	"github.com/bagscope/bagscope/tools/service/query"
)

// BinaryHeader says how many bytes of a body are JSON; the tensors that are sent in binary follow.
const BinaryHeader = "Inference-Header-Content-Length"

// BinaryExtension is what a server calls the extension of binary tensors.
const BinaryExtension = "binary_tensor_data"

// The JSON of the protocol, that of requests and of answers alike. Keys that are not here are left alone.
type (
	// Server is the answer to GET /v2.
	Server struct {
		Name       string                    `json:"name"`
		Version    string                    `json:"version"`
		Extensions query.BoundedList[string] `json:"extensions"`
	}
	// Metadata is the answer to GET /v2/models/NAME.
	Metadata struct {
		Name       string                    `json:"name"`
		Versions   query.BoundedList[string] `json:"versions"`
		Platform   string                    `json:"platform"`
		Inputs     query.BoundedList[Port]   `json:"inputs"`
		Outputs    query.BoundedList[Port]   `json:"outputs"`
		Parameters *MetadataParameters       `json:"parameters,omitempty"`
	}
	// MetadataParameters hold the model's card, from servers that know cards.
	MetadataParameters struct {
		Card json.RawMessage `json:"bagscope,omitempty"`
	}
	// Port is an input or an output of a model. A side of -1 is open.
	Port struct {
		Name     string                 `json:"name"`
		Datatype string                 `json:"datatype"`
		Shape    query.BoundedList[int] `json:"shape"`
	}
	// Request is the body of POST /v2/models/NAME/infer.
	Request struct {
		ID         string                    `json:"id,omitempty"`
		Parameters RequestParameters         `json:"parameters,omitzero"`
		Inputs     query.BoundedList[Tensor] `json:"inputs"`
		Outputs    query.BoundedList[Wanted] `json:"outputs,omitempty"` // none means all
	}
	// RequestParameters hold for all outputs.
	RequestParameters struct {
		BinaryOutput bool `json:"binary_data_output,omitempty"`
	}
	// Wanted is an output that is asked for.
	Wanted struct {
		Name       string           `json:"name"`
		Parameters WantedParameters `json:"parameters,omitzero"`
	}
	// WantedParameters are how, among them what only some servers know.
	WantedParameters struct {
		Binary         *bool           `json:"binary_data,omitempty"`
		Classification int             `json:"classification,omitempty"`
		SharedMemory   json.RawMessage `json:"shared_memory_region,omitempty"`
	}
	// Response is the answer to a Request.
	Response struct {
		Model   string                    `json:"model_name"`
		Version string                    `json:"model_version"`
		ID      string                    `json:"id,omitempty"`
		Outputs query.BoundedList[Tensor] `json:"outputs"`
	}
	// Tensor is an input or an output. Its numbers are in Data, flat or nested, or behind the JSON.
	Tensor struct {
		Name       string                 `json:"name"`
		Datatype   string                 `json:"datatype"`
		Shape      query.BoundedList[int] `json:"shape"`
		Parameters *TensorParameters      `json:"parameters,omitempty"`
		Data       json.RawMessage        `json:"data,omitempty"`
	}
	// TensorParameters say where a tensor's numbers are.
	TensorParameters struct {
		BinarySize   int64           `json:"binary_data_size"`
		SharedMemory json.RawMessage `json:"shared_memory_region,omitempty"`
	}
)
