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
	"github.com/bagscope/bagscope/tools/service/oip"
)

// inferRequest is a request with the bytes behind its JSON.
type inferRequest struct {
	oip.Request
	head, binary []byte
}

// receiveInference reads a request of the protocol. Keys that it does not know are left alone, as the protocol wants; those that
// ask for an extension that is not there are refused.
func (s *Server) receiveInference(w http.ResponseWriter, r *http.Request) (*inferRequest, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	binary := r.Header.Get(oip.BinaryHeader)
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
	q := &inferRequest{head: data}
	if binary != "" {
		n, err := strconv.Atoi(binary)
		if err != nil || n < 0 || n > len(data) {
			return nil, problem("request", "the header %s is no number of bytes of the body, which has %d", oip.BinaryHeader, len(data))
		}
		q.head, q.binary = data[:n], data[n:]
	}
	return q, nil
}

// parse reads the JSON. That is work, for which a request waits its turn.
func (q *inferRequest) parse() error {
	if err := json.Unmarshal(q.head, &q.Request); err != nil {
		return notJSON(err)
	}
	q.head = nil
	for _, o := range q.Outputs {
		if o.Parameters.Classification != 0 || o.Parameters.SharedMemory != nil {
			return problem("request", "output %q: of the protocol's extensions only binary tensors are known here", o.Name)
		}
	}
	return nil
}

// bag makes a bag of the one input. Its shape is the model's, with the number of instances along the axis that holds them;
// axes before that one have the length 1.
func (q *inferRequest) bag(info core.ModelInfo, l Limits) (*core.Bag, error) {
	if len(q.Inputs) != 1 || q.Inputs[0].Name != info.Input {
		return nil, problem("request", "the model has the one input %q", info.Input)
	}
	in, axis := q.Inputs[0], info.InstanceAxis
	if slices.ContainsFunc(in.Shape, func(d int) bool { return d <= 0 }) {
		return nil, problem("bag", "input %q of shape %v holds no instance", in.Name, in.Shape)
	}
	count, err := in.Count()
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
	if bag.Values, err = oip.Values[float32](&in, count, q.binary); err != nil {
		return nil, err
	}
	for i, v := range bag.Values {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, problem("bag", "input %q: value %d is %v, and a bag holds finite numbers", in.Name, i, v)
		}
	}
	return bag, bag.Validate()
}

// sendInference writes the JSON, and behind it the tensors that go in binary.
func (s *Server) sendInference(w http.ResponseWriter, head *oip.Response, tensors [][]byte) error {
	data, err := encode(head)
	if err != nil {
		return err
	}
	if len(tensors) == 0 {
		return s.send(w, "application/json", data)
	}
	w.Header().Set(oip.BinaryHeader, fmt.Sprint(len(data)))
	return s.send(w, "application/octet-stream", slices.Concat(append([][]byte{data}, tensors...)...))
}
