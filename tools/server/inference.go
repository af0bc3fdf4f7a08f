package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
)

// binaryHeader says how many bytes of a body are JSON; the tensors that are sent in binary follow.
const binaryHeader = "Inference-Header-Content-Length"

type (
	inferRequest struct {
		ID         string `json:"id"`
		Parameters struct {
			BinaryOutput bool `json:"binary_data_output"`
		} `json:"parameters"`
		Inputs  []tensorJSON `json:"inputs"`
		Outputs []struct {
			Name       string `json:"name"`
			Parameters struct {
				Binary         *bool           `json:"binary_data"`
				Classification int             `json:"classification"`
				SharedMemory   json.RawMessage `json:"shared_memory_region"`
			} `json:"parameters"`
		} `json:"outputs"`
		binary []byte // what follows the JSON
	}
	inferResponse struct {
		Model   string       `json:"model_name"`
		Version string       `json:"model_version"`
		ID      string       `json:"id,omitempty"`
		Outputs []tensorJSON `json:"outputs"`
	}
	// tensorJSON is an input or an output. Its numbers are in Data, flat or nested, or behind the JSON.
	tensorJSON struct {
		Name       string           `json:"name"`
		Datatype   string           `json:"datatype"`
		Shape      []int            `json:"shape"`
		Parameters *tensorParameter `json:"parameters,omitempty"`
		Data       json.RawMessage  `json:"data,omitempty"`
	}
	tensorParameter struct {
		BinarySize   int64           `json:"binary_data_size"`
		SharedMemory json.RawMessage `json:"shared_memory_region,omitempty"`
	}
)

// receiveInference reads a request of the protocol. Keys that it does not know are left alone, as the protocol wants; those that
// ask for an extension that is not there are refused.
func (s *Server) receiveInference(w http.ResponseWriter, r *http.Request) (*inferRequest, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	binary := r.Header.Get(binaryHeader)
	if r.Header.Get("Content-Type") != "" && (err != nil || kind != "application/json" && kind != "application/octet-stream") {
		return nil, problem("media-type", "the body must be application/json or, with binary tensors, application/octet-stream")
	}
	if err := plainBody(r); err != nil {
		return nil, err
	}
	body, done := s.body(w, r)
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, readProblem(err)
	}
	done()
	q := &inferRequest{}
	if binary != "" {
		n, err := strconv.Atoi(binary)
		if err != nil || n < 0 || n > len(data) {
			return nil, problem("request", "the header %s is no number of bytes of the body, which has %d", binaryHeader, len(data))
		}
		data, q.binary = data[:n], data[n:]
	}
	if err := json.Unmarshal(data, q); err != nil {
		return nil, problem("request", "the request is no JSON of the form that is wanted: %v", err)
	}
	for _, o := range q.Outputs {
		if o.Parameters.Classification != 0 || o.Parameters.SharedMemory != nil {
			return nil, problem("request", "output %q: of the protocol's extensions only binary tensors are known here", o.Name)
		}
	}
	return q, nil
}

// bag makes a bag of the one input. Its shape is the model's, with the number of instances along the axis that holds them;
// axes before that one have the length 1.
func (q *inferRequest) bag(info core.ModelInfo, l Limits) (*core.Bag, error) {
	if len(q.Inputs) != 1 || q.Inputs[0].Name != info.Input {
		return nil, problem("request", "the model has the one input %q", info.Input)
	}
	in, axis := q.Inputs[0], info.InstanceAxis
	count, err := in.count()
	if err != nil {
		return nil, err
	}
	for _, port := range info.Inputs {
		if port.Name == info.Input && port.Shape != nil && len(port.Shape) != len(in.Shape) {
			return nil, problem("request", "input %q has %d axes, and the model wants %d, instances along axis %d", in.Name, len(in.Shape), len(port.Shape), axis)
		}
	}
	if axis >= len(in.Shape) || slices.ContainsFunc(in.Shape[:axis], func(d int) bool { return d != 1 }) {
		return nil, problem("request", "input %q of shape %v: instances lie along axis %d, and every axis before it has the length 1: a request is one bag", in.Name, in.Shape, axis)
	}
	if k := int64(in.Shape[axis]); k > l.Instances {
		p := problem("limit", "input %q has %d instances, more than the %d that are allowed", in.Name, k, l.Instances)
		p.Setting = "Instances"
		return nil, p
	}
	bag := &core.Bag{Name: q.ID, Shape: slices.Clone(in.Shape[axis+1:]), Raw: in.Datatype == "UINT8"}
	if bag.Values, err = in.values(count, q.binary); err != nil {
		return nil, err
	}
	for i, v := range bag.Values {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, problem("bag", "input %q: value %d is %v, and a bag holds finite numbers", in.Name, i, v)
		}
	}
	return bag, bag.Validate()
}

// count returns how many numbers a tensor has, or says why it has none.
func (t *tensorJSON) count() (int, error) {
	if t.Parameters != nil && t.Parameters.SharedMemory != nil {
		return 0, problem("request", "input %q: of the protocol's extensions only binary tensors are known here", t.Name)
	}
	n := 1
	for _, d := range t.Shape {
		if d <= 0 {
			return 0, problem("bag", "input %q of shape %v holds no instance", t.Name, t.Shape)
		}
		if n > math.MaxInt32/d {
			return 0, problem("limit", "input %q of shape %v is too large", t.Name, t.Shape)
		}
		n *= d
	}
	return n, nil
}

// sendInference writes the JSON, and behind it the tensors that go in binary.
func (s *Server) sendInference(w http.ResponseWriter, head *inferResponse, tensors [][]byte) error {
	data, err := encode(head)
	if err != nil {
		return err
	}
	if len(tensors) == 0 {
		return s.send(w, "application/json", data)
	}
	w.Header().Set(binaryHeader, fmt.Sprint(len(data)))
	return s.send(w, "application/octet-stream", slices.Concat(append([][]byte{data}, tensors...)...))
}
