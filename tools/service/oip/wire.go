package oip

import (
	"encoding/json"

	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// BinaryHeader is the header with the number of JSON bytes in a body. Binary tensors follow the
// JSON.
const BinaryHeader = "Inference-Header-Content-Length"

// BinaryExtension is the name of the extension for binary tensors.
const BinaryExtension = "binary_tensor_data"

// The JSON of the protocol, for requests and responses. Other keys are ignored.
type (
	// Server is the response to GET /v2.
	Server struct {
		Name       string                       `json:"name"`
		Version    string                       `json:"version"`
		Extensions jsontext.BoundedList[string] `json:"extensions"`
	}
	// Metadata is the response to GET /v2/models/NAME.
	Metadata struct {
		Name       string                       `json:"name"`
		Versions   jsontext.BoundedList[string] `json:"versions"`
		Platform   string                       `json:"platform"`
		Inputs     jsontext.BoundedList[Port]   `json:"inputs"`
		Outputs    jsontext.BoundedList[Port]   `json:"outputs"`
		Parameters *MetadataParameters          `json:"parameters,omitempty"`
	}
	// MetadataParameters hold the model card. Only some servers send it.
	MetadataParameters struct {
		Card json.RawMessage `json:"bagscope,omitempty"`
	}
	// Port is an input or an output of a model. A dimension of -1 is open.
	Port struct {
		Name     string                    `json:"name"`
		Datatype string                    `json:"datatype"`
		Shape    jsontext.BoundedList[int] `json:"shape"`
	}
	// Request is the body of POST /v2/models/NAME/infer.
	Request struct {
		ID         string                              `json:"id,omitempty"`
		Parameters RequestParameters                   `json:"parameters,omitzero"`
		Inputs     jsontext.BoundedList[Tensor]        `json:"inputs"`
		Outputs    jsontext.BoundedList[OutputRequest] `json:"outputs,omitempty"` // none means all
	}
	// RequestParameters apply to all outputs.
	RequestParameters struct {
		BinaryOutput bool `json:"binary_data_output,omitempty"`
	}
	// OutputRequest is a requested output.
	OutputRequest struct {
		Name       string           `json:"name"`
		Parameters OutputParameters `json:"parameters,omitzero"`
	}
	// OutputParameters select the encoding of the output, and extensions that only some servers
	// support.
	OutputParameters struct {
		Binary         *bool           `json:"binary_data,omitempty"`
		Classification int             `json:"classification,omitempty"`
		SharedMemory   json.RawMessage `json:"shared_memory_region,omitempty"`
	}
	// Response is the response to a Request.
	Response struct {
		Model   string                       `json:"model_name"`
		Version string                       `json:"model_version"`
		ID      string                       `json:"id,omitempty"`
		Outputs jsontext.BoundedList[Tensor] `json:"outputs"`
	}
	// Tensor is an input or an output. Its numbers are in Data, flat or nested, or follow the JSON.
	Tensor struct {
		Name       string                    `json:"name"`
		Datatype   string                    `json:"datatype"`
		Shape      jsontext.BoundedList[int] `json:"shape"`
		Parameters *TensorParameters         `json:"parameters,omitempty"`
		Data       json.RawMessage           `json:"data,omitempty"`
	}
	// TensorParameters hold the length of a binary tensor, absent for a tensor in JSON.
	TensorParameters struct {
		BinarySize   int64           `json:"binary_data_size"`
		SharedMemory json.RawMessage `json:"shared_memory_region,omitempty"`
	}
)
